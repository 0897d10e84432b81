import { shellWord } from '@svc/core/adapters'

/** Nouns of the command line below `svc apps`, which the names of operations join by a hyphen. */
const BELOW_APPS = /^apps (env|domains|registry|cron|databases)-/

/** Returns the `svc` command of an operation, with the names of the things that it is about. */
export const commandOf = (operation: string, ...things: readonly string[]): string => {
  const words = operation.replace('.', ' ').replace(BELOW_APPS, 'apps $1 ')
  return ['svc', words, ...things.map(shellWord)].join(' ')
}
