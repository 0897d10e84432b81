import type { Scope } from '../../kernel/scope.ts'
import type { App, AppSettings, NewApp, NewVariable, Variable } from './app.ts'
import type { AppMove } from './app-move.ts'

/** The name of a variable of an app. */
export interface VariableName {
  readonly appId: string
  readonly name: string
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly apps: AppsStore
  }
}

/** Storage of apps and their variables. The id of an app follows from its license and name. */
export interface AppsStore {
  /** Stores an app unless it is there already. */
  ensure(app: Pick<App, 'licenseId' | 'name'>, now?: Date): Promise<void>
  /** Stores an app; undefined when it is there already, or its license has `max` apps. */
  add(app: NewApp, max: number, now?: Date): Promise<App | undefined>
  change(id: string, settings: AppSettings, now?: Date): Promise<App | undefined>
  /** Keeps the move of an app; undefined: it has none any more. */
  setMove(id: string, move: AppMove | undefined, now?: Date): Promise<void>
  /** Removes an app with its variables and domains; its jobs and deployments stay. */
  remove(id: string): Promise<boolean>
  /** Finds an app by its id. */
  get(scope: Scope, id: string): Promise<App | undefined>
  /** Finds an app by its id and keeps others from changing it until the end of the transaction. */
  lock(id: string): Promise<App | undefined>
  /** Apps of a scope by name or id, by id. */
  find(scope: Scope, idOrName: string): Promise<readonly App[]>
  /** Apps of a scope by name, then id. */
  list(scope: Scope, limit: number): Promise<readonly App[]>
  /** The variables of an app by name. */
  variables(appId: string): Promise<readonly Variable[]>
  /** The names of the variables of some apps, in no order. */
  variableNames(appIds: readonly string[]): Promise<readonly VariableName[]>
  /** Stores variables, in place of those of the same names, and raises the revision. */
  setVariables(appId: string, variables: readonly NewVariable[], now?: Date): Promise<void>
  /** Removes variables; returns the names that were there. The revision rises if there were any. */
  unsetVariables(appId: string, names: readonly string[], now?: Date): Promise<readonly string[]>
}
