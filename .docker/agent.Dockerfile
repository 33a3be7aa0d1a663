FROM debian:bookworm-slim AS build
RUN apt-get update \
	&& apt-get install -y --no-install-recommends gcc libc6-dev make pkg-config clang llvm bpftool \
		libbpf-dev libelf-dev zlib1g-dev libcurl4-openssl-dev libzstd-dev libhwloc-dev \
		libjansson-dev libprotobuf-c-dev protobuf-c-compiler libcap-dev \
	&& rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY agent agent
RUN make -C agent

FROM debian:bookworm-slim
RUN apt-get update \
	&& apt-get install -y --no-install-recommends ca-certificates libbpf1 libelf1 zlib1g \
		libcurl4 libzstd1 libhwloc15 libjansson4 libprotobuf-c1 libcap2 \
	&& rm -rf /var/lib/apt/lists/*
COPY --from=build /src/agent/build/nwagent /usr/local/bin/nwagent
VOLUME /var/lib/neighborwatch
ENTRYPOINT ["/usr/local/bin/nwagent"]
