import { PLANTED } from './planted.ts'

/** Plants the fault of this name into the process; nothing without a name. */
export async function plant(name: string | undefined): Promise<void> {
  if (name !== undefined && name !== '') await plantedBug(name).plant?.()
}

/** The planted fault of this name. Throws when there is none. */
export function plantedBug(name: string) {
  const found = PLANTED.find((bug) => bug.name === name)
  if (found !== undefined) return found
  throw new Error(`--bug takes one of:\n${PLANTED.map((bug) => `  ${bug.name}`).join('\n')}`)
}
