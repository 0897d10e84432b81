import type { AppService } from '@svc/core/adapters'
import type { Databases } from './data/databases.ts'

type Linked = Pick<Databases, 'variables' | 'socketsOf'> | undefined

/** The word by which a service wants all variables of its application. */
export const EVERY_VARIABLE = '*'

/**
 * The variables of an application's databases. A service of a compose file is given those that it names: the
 * images of others have no business with them.
 */
export function databaseVariables(
  databases: Linked,
  app: string,
  service: AppService | undefined,
): Readonly<Record<string, string>> {
  return wantedBy(service, databases?.variables(app) ?? {})
}

/** A service gets those variables of its application that it names; a program or a container gets all. */
export function wantedBy(
  service: AppService | undefined,
  all: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (service === undefined) return all
  const { wants = [] } = service
  const isWanted = (name: string) => wants.includes(name) || wants.includes(EVERY_VARIABLE)
  return Object.fromEntries(Object.entries(all).filter(([name]) => isWanted(name)))
}

/** The folders with sockets of databases that a container mounts: none when it knows no address. */
export function databaseSockets(
  databases: Linked,
  app: string,
  service: AppService | undefined,
): readonly string[] {
  const isTold = Object.keys(databaseVariables(databases, app, service)).length > 0
  return isTold ? (databases?.socketsOf(app) ?? []) : []
}
