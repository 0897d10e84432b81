import type { ControlPlane } from '@svc/core'

/**
 * The counters of a family that have counted something, by their labels as the exposition writes them:
 * `{ '{kind="api"}': 2 }`, and `{ '': 2 }` for one without labels.
 */
export async function counted(
  { metrics }: Pick<ControlPlane, 'metrics'>,
  family: string,
): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {}
  for (const line of (await metrics.exposition()).split('\n')) {
    if (!line.startsWith(family) || !/^[{ ]/.test(line.slice(family.length))) continue
    const at = line.lastIndexOf(' ')
    const value = Number(line.slice(at + 1))
    if (value > 0) found[line.slice(family.length, at)] = value
  }
  return found
}
