import type { Infer } from 'superstruct'
import { mapOf, matching, shape } from '../../kernel/validation.ts'

/** The host of a registry, with its port if it has one of its own. */
export const registryField = matching(
  /^[a-z0-9][a-z0-9.-]{0,79}(?::[0-9]{1,5})?$/,
  'the host of a registry, such as ghcr.io or registry.example:5000',
)
/** A word of a login: it stands in one line. */
const wordField = matching(/^[^\r\n\0]{1,4096}$/, 'one line of 1 to 4096 characters')

/** A user of a registry, and the password or token. */
export const loginFields = { user: wordField, password: wordField }
/** Logins by the hosts of their registries. */
export const loginsField = mapOf(registryField, shape(loginFields))
/** Logins by the hosts of their registries. */
export type RegistryLogins = Infer<typeof loginsField>

/**
 * A login is a secret of its app, and so is sealed, handed out and masked as all of those: a variable of a
 * name that people cannot set, with the user and the password as its two lines.
 */
const PREFIX = 'SVC_REGISTRY_'

/** The variable that holds the login of a registry. */
export const loginVariable = (registry: string): string =>
  PREFIX + registry.replace(/[^a-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}_`)

/** The registry whose login a variable holds; undefined for any other. */
export function registryOf(variable: string): string | undefined {
  if (!variable.startsWith(PREFIX)) return undefined
  return variable
    .slice(PREFIX.length)
    .replace(/_([0-9a-f]{2})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The value of the variable of a login. */
export const loginValue = ({ user, password }: RegistryLogins[string]): string => `${user}\n${password}`

/** Parts the variables that a host was given: those of the app's processes, and its logins. */
export function withoutLogins(given: Readonly<Record<string, string>>): {
  readonly env: Record<string, string>
  readonly logins: RegistryLogins
} {
  const env: Record<string, string> = {}
  const logins: RegistryLogins = {}
  for (const [name, value] of Object.entries(given)) {
    const registry = registryOf(name)
    const [user = '', password = ''] = value.split('\n')
    if (registry === undefined) env[name] = value
    else logins[registry] = { user, password }
  }
  return { env, logins }
}
