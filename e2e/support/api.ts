import { stack } from './stack'

/** The fields that the tests read; the whole shape is held by the backend's own tests. */
export type Container = {
  id: string
  name: string
  runq_p99_seconds: number | null
  nr_periods: number | null
  nr_throttled: number | null
  throttled_ratio: number | null
}
export type Victim = { id: string; name: string; share_ratio: number }
export type Neighbor = { id: string; name: string; rank: number; kind: string; top_victims: Victim[] }
export type Series = { t: number[]; series: { metric: string; values: (number | null)[] }[] }

/** `null` sends no credentials. */
export async function ask(path: string, token: string | null = stack().token): Promise<Response> {
  const headers = token === null ? undefined : { Authorization: `Bearer ${token}` }
  return fetch(`${stack().url}${path}`, { headers })
}

/** As a program would: with the API token that `neighborwatch run` writes. */
export async function read<T>(path: string): Promise<T> {
  const response = await ask(`/api/v1${path}`)
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

export async function containerNamed(name: string): Promise<Container | undefined> {
  const list = await read<{ items: Container[] }>(`/containers?from=now-15m&q=${name}`)
  return list.items.find((item) => item.name === name)
}

/** Starts of the stored windows of a container, in epoch ms, oldest first. */
export async function windowsOf(id: string): Promise<number[]> {
  const { t, series } = await read<Series>(
    `/series?scope=container:${id}&metric=runq_p99_seconds&from=now-15m&max_points=1000`,
  )
  const values = series[0]?.values ?? []
  return t.filter((_, index) => values[index] !== null && values[index] !== undefined).map((s) => s * 1000)
}
