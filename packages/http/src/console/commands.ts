import { shellWord } from '@svc/core/adapters'

/** Operations whose command has a name of its own. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'email-alerts.run': 'email alerts',
    'emails.send': 'email send',
    'git-hooks.update': 'git hooks add',
    'health.check': 'doctor',
    'overview.show': 'overview',
    'provision.remove-server': 'provision reconcile',
    'ssh.open': 'ssh',
    'apps.upload': 'apps deploy',
  }),
)
const NOUNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'provision-orders': 'provision order',
    'provision-credentials': 'provision credential',
  }),
)
/** Verbs of an endpoint of webhooks, which have a noun of their own. */
const OF_ENDPOINTS: ReadonlySet<string> = new Set(['list', 'show', 'add', 'update', 'remove'])
/** Nouns of the command line below `svc apps`, which the names of operations join by a hyphen. */
const BELOW_APPS = /^(env|domains|registry|cron|databases)-/

/** Returns the words of an operation's `svc` command, without `svc`. */
export function commandWords(operation: string): string {
  const own = OWN_NAMES.get(operation)
  if (own !== undefined) return own
  const at = operation.indexOf('.')
  const [noun, verb] = [operation.slice(0, at), operation.slice(at + 1)]
  if (noun === 'webhooks' && OF_ENDPOINTS.has(verb)) return `webhooks endpoints ${verb}`
  if (noun === 'apps') return `apps ${verb.replace(BELOW_APPS, '$1 ')}`
  return `${NOUNS.get(noun) ?? noun.replaceAll('-', ' ')} ${verb}`
}

/** Returns the `svc` command of an operation, with the names of the things that it is about. */
export const commandOf = (operation: string, ...things: readonly string[]): string =>
  ['svc', commandWords(operation), ...things.map(shellWord)].join(' ')
