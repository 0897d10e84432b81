import { PLANTED } from './planted.ts'

/** Plants the fault of this name into this process; without a name it does nothing. */
export async function plant(name: string | undefined): Promise<void> {
  if (name !== undefined && name !== '') await plantedBug(name).plant?.()
}

/** Returns the planted fault of this name. Throws an error that lists the names if there is none. */
export function plantedBug(name: string) {
  const found = PLANTED.find((bug) => bug.name === name)
  if (found !== undefined) return found
  throw new Error(`--bug takes one of:\n${PLANTED.map((bug) => `  ${bug.name}`).join('\n')}`)
}
