import type { AppRegistryView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { namesTable, registriesTable } from './app-tables.ts'
import type { AppOptions } from './apps-show.ts'

/** Flags of a login. */
export interface LoginOptions extends AppOptions {
  readonly user: string
}

/** Lists the registries that an app has a login for. */
export const listRegistries: Handler<AppOptions> = async (run) => {
  const input = given({ app: run.arg(0), license: run.options.license })
  const answer = await run.operate<{ registries: readonly AppRegistryView[] }>('apps.registry-list', input)
  run.print(answer, (page) => registriesTable(answer.registries, page))
  if (answer.registries.length === 0)
    run.hint(`No logins yet: svc apps registry login ${run.arg(0)} ghcr.io --user NAME asks for a password.`)
}

/** Keeps the user and password of a registry; the password is asked for, or read from standard input. */
export const logIn: Handler<LoginOptions> = async (run) => {
  const registry = run.arg(1)
  const { license, user } = run.options
  const password = await run.io.readSecret(`password of ${user} at ${registry}: `)
  const input = given({ app: run.arg(0), license, registry, user, password })
  const answer = await run.operate<{ app: string; registry: string }>('apps.registry-login', input)
  run.print(answer, (page) => namesTable('LOGGED IN', [answer.registry], page))
  run.hint(`The next deploy has it: svc apps deploy ${answer.app} does the last one again.`)
}

/** Forgets the user and password of a registry. */
export const logOut: Handler<AppOptions> = async (run) => {
  const registry = run.arg(1)
  const input = given({ app: run.arg(0), license: run.options.license, registry })
  const answer = await run.operate<{ removed: readonly string[] }>('apps.registry-logout', input)
  run.print(answer, (page) => namesTable('REMOVED', answer.removed, page))
  if (answer.removed.length === 0) run.hint(`there was no login for ${registry}`)
}
