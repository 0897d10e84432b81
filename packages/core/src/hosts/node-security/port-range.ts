/** Ports from the first to the last, both included. */
export type PortRange = readonly [first: number, last: number]

/** Reads `443` or `8000-8100`, of 1 to 65535 and rising; undefined for everything else. */
export function portRange(text: string): PortRange | undefined {
  const [, first, last = first] = /^([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?$/.exec(text) ?? []
  if (first === undefined) return undefined
  const range = [Number(first), Number(last)] as const
  return range[0] <= range[1] && range[1] <= 65_535 ? range : undefined
}

/** Returns rising ranges that neither overlap nor touch. */
export function mergedPorts(texts: readonly string[]): readonly PortRange[] {
  const merged: [number, number][] = []
  for (const [first, last] of texts
    .flatMap((text) => portsOf(text))
    .sort((one, other) => one[0] - other[0])) {
    const before = merged.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged
}

/** Whether one of the ranges holds the port. */
export const coversPort = (texts: readonly string[], port: number): boolean =>
  texts.flatMap((text) => portsOf(text)).some(([first, last]) => first <= port && port <= last)

const portsOf = (text: string): PortRange[] => {
  const range = portRange(text)
  return range === undefined ? [] : [range]
}
