import { defaulted, optional } from 'superstruct'
import { cursorBehind, type Place, placeOfCursor } from '../../kernel/cursor.ts'
import { readPage } from '../../kernel/page.ts'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense, type Scope } from '../../kernel/scope.ts'
import { flag, listOf, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Agents } from '../agents/agents.ts'
import { CLONE_KINDS, GIT_PROVIDERS, type GitHook, SUBMODULE_SCOPES } from './git-hook.ts'
import { GIT_ANSWERS } from './git-hook-answers.ts'
import type { GitHookWishes } from './git-hook-definition.ts'
import { deliveryView, hookView, setupOf } from './git-hook-view.ts'
import type { GitHooks, SetHook } from './git-hooks.ts'
import type { GitDelivery } from './git-hooks-store.ts'
import type { GitTest } from './git-test.ts'

/** The services that operations on git hooks use. */
export interface GitHookUses {
  readonly agents: Pick<Agents, 'resolve'>
  readonly gitHooks: GitHooks
  readonly gitTest: GitTest
  readonly licenses: Licenses
}

const operation = operationOf<GitHookUses>()

const globs = listOf(text(1, 200), 50)
const id = text(1, 128)
const definition = {
  fingerprint: optional(text(1, 512)),
  host: optional(text(1, 512)),
  provider: optional(oneOf(GIT_PROVIDERS)),
  branch: optional(text(1, 244)),
  tags: optional(text(0, 100)),
  paths: optional(globs),
  paths_ignore: optional(globs),
  enabled: optional(flag()),
  cancel_in_progress: optional(flag()),
  allow_skip: optional(flag()),
  submodules: optional(oneOf(SUBMODULE_SCOPES)),
  secret: optional(text(16, 256)),
  clone: optional(shape({ kind: oneOf(CLONE_KINDS), token: optional(text(1, 512)) })),
}

interface Definition
  extends Omit<GitHookWishes, 'repoUrl' | 'pathsIgnore' | 'cancelInProgress' | 'allowSkip'> {
  readonly host?: string | undefined
  readonly repo_url?: string | undefined
  readonly paths_ignore?: readonly string[] | undefined
  readonly cancel_in_progress?: boolean | undefined
  readonly allow_skip?: boolean | undefined
}

const wishesOf = (given: Definition): GitHookWishes => {
  const { host: _, repo_url, paths_ignore, cancel_in_progress, allow_skip, ...same } = given
  return {
    ...same,
    repoUrl: repo_url,
    pathsIgnore: paths_ignore,
    cancelInProgress: cancel_in_progress,
    allowSkip: allow_skip,
  }
}

/** Returns the host that builds, and its license. */
async function hostOf(
  scope: Scope,
  { agents }: GitHookUses,
  { fingerprint, host }: Definition,
): Promise<{ readonly licenseId: string; readonly fingerprint: string }> {
  if (fingerprint !== undefined && scope.of === 'license') return { licenseId: scope.id, fingerprint }
  const name = host ?? (fingerprint === undefined ? undefined : `fp:${fingerprint}`)
  if (name !== undefined) return agents.resolve(scope, name)
  throw new Problem('invalid-input', { details: ['fingerprint: expected a string of 1 to 512 characters'] })
}

const setAnswer = ({ gitHooks }: GitHookUses, { hook, created, secret }: SetHook) => ({
  ok: true,
  created,
  hook: hookView(hook, undefined),
  ...present('secret', secret),
  webhook_url: gitHooks.webhookUrl(hook.id),
  ...present('deploy_key', hook.deployKey),
  setup: setupOf(hook),
})

const add = operation({
  name: 'git-hooks.add',
  summary: 'deploy an app when its repository is pushed to; the same again changes nothing',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  licensed: true,
  answer: GIT_ANSWERS.set,
  input: { app: text(1, 63), repo_url: text(1, 512), ...definition },
  run: async (services, { app, ...given }, { scope }, { isCaller }) => {
    const { licenseId, fingerprint } = await hostOf(scope, services, given)
    const wishes = { ...wishesOf(given), fingerprint }
    const set = await services.gitHooks.set(licenseId, app, wishes, isCaller ? 'license' : 'person')
    return setAnswer(services, set)
  },
})

const update = operation({
  name: 'git-hooks.update',
  summary: 'change a git hook; fields that are not named stay',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  licensed: true,
  answer: GIT_ANSWERS.set,
  input: { id, repo_url: optional(text(1, 512)), ...definition },
  run: async (services, { id: idOrApp, ...given }, { scope }, { isCaller }) => {
    const hook = await services.gitHooks.resolve(scope, idOrApp)
    const { licenseId } = hook
    const isMoved = given.host !== undefined || given.fingerprint !== undefined
    const { fingerprint } = isMoved ? await hostOf(ofLicense(licenseId), services, given) : hook
    const wishes = { ...wishesOf(given), fingerprint }
    return setAnswer(services, await services.gitHooks.change(hook, wishes, isCaller ? 'license' : 'person'))
  },
})

const rotate = operation({
  name: 'git-hooks.rotate',
  summary: 'give a git hook another secret; the one before is taken for a day longer',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  licensed: true,
  answer: GIT_ANSWERS.set,
  input: { id },
  run: async (services, input, { scope }) => {
    const hook = await services.gitHooks.resolve(scope, input.id)
    return setAnswer(services, await services.gitHooks.rotate(hook))
  },
})

const remove = operation({
  name: 'git-hooks.remove',
  summary: 'remove a git hook with its secrets and deliveries; its jobs stay',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  licensed: true,
  answer: GIT_ANSWERS.removed,
  input: { id },
  run: async ({ gitHooks }, input, { scope }) => {
    const hook = await gitHooks.resolve(scope, input.id)
    await gitHooks.remove(hook)
    return { ok: true, id: hook.id }
  },
})

const list = operation({
  name: 'git-hooks.list',
  summary: 'list git hooks',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  licensed: true,
  answer: GIT_ANSWERS.list,
  input: {},
  run: async ({ gitHooks }, _, { scope }) => {
    const hooks = await gitHooks.list(scope)
    const last = await gitHooks.lastDeliveries(hooks)
    return { ok: true, hooks: hooks.map((hook) => hookView(hook, last.get(hook.id))) }
  },
})

const show = operation({
  name: 'git-hooks.show',
  summary: 'show a git hook and where its address and key are entered',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  answer: GIT_ANSWERS.one,
  input: { id, license: optional(text(1, 512)) },
  run: async (services, input, { scope }) => {
    const hook = await named(services, input, scope)
    const [last] = await services.gitHooks.deliveries(hook, 1)
    return {
      ok: true,
      hook: hookView(hook, last),
      webhook_url: services.gitHooks.webhookUrl(hook.id),
      setup: setupOf(hook),
    }
  },
})

const deliveries = operation({
  name: 'git.deliveries',
  summary: 'list the deliveries of git hosts to a hook, newest first, with their outcomes',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  answer: GIT_ANSWERS.deliveries,
  input: {
    id,
    license: optional(text(1, 512)),
    limit: defaulted(whole(1, 1000), 50),
    cursor: optional(text(1, 64)),
  },
  run: async (services, input, { scope }) => {
    const hook = await named(services, input, scope)
    const { rows, next } = await readPage<GitDelivery, Place>({
      limit: input.limit,
      before: placeOfCursor(input.cursor, 'gdl'),
      read: (most, before) => services.gitHooks.deliveries(hook, most, before),
      cursorOf: ({ micros, id }) => ({ micros, id }),
    })
    const [last] = input.cursor === undefined ? rows : await services.gitHooks.deliveries(hook, 1)
    return {
      hook: hookView(hook, last),
      deliveries: rows.map(deliveryView),
      ...(next === undefined ? {} : { next_cursor: cursorBehind(next) }),
    }
  },
})

const test = operation({
  name: 'git.test',
  summary: 'send a signed delivery to a git hook by its own address, which deploys a commit',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  answer: GIT_ANSWERS.test,
  input: {
    id,
    license: optional(text(1, 512)),
    sha: text(40, 64),
    ref: optional(text(1, 255)),
  },
  run: async (services, input, { scope }) => {
    const hook = await named(services, input, scope)
    const { delivered, status, answer, advice, error } = await services.gitTest.send(hook, input)
    return {
      hook_id: hook.id,
      delivered,
      ...present('http_status', status),
      ...present('answer', answer),
      ...present('advice', advice),
      ...present('error', error),
    }
  },
})

async function named(
  { gitHooks, licenses }: GitHookUses,
  { id: idOrApp, license }: { readonly id: string; readonly license?: string | undefined },
  scope: Scope,
): Promise<GitHook> {
  return gitHooks.resolve(await licenses.within(scope, license), idOrApp)
}

/** Operations on git hooks and on their deliveries. */
export const gitHookOperations = [add, update, rotate, remove, list, show, deliveries, test]
