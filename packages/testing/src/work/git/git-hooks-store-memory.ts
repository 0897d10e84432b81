import type { Place } from '@svc/core/ports'
import {
  type DeliveryKey,
  type GitDelivery,
  type GitHook,
  type GitHookSettings,
  type GitHooksStore,
  type HookSecret,
  type HookSecretKind,
  hookSecretId,
  type NewGitDelivery,
  type NewGitHook,
  SAME_BODY_HOURS,
} from '@svc/core/ports'
import type { MemoryTable } from '../../memory-table.ts'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A secret as the fake stores it. */
export type MemoryHookSecret = Omit<HookSecret, 'text'> & { readonly id: string; readonly secret: string }

const newestFirst = (one: GitDelivery, other: GitDelivery): number =>
  other.receivedAt.getTime() - one.receivedAt.getTime() || byBytes(other.id, one.id)

const isBehind = (each: GitDelivery, { micros, id }: Place): boolean => {
  const ahead = Number(each.micros) - Number(micros)
  return ahead < 0 || (ahead === 0 && byBytes(each.id, id) < 0)
}

interface HookTables {
  readonly hooks: MemoryTable<GitHook>
  readonly secrets: MemoryTable<MemoryHookSecret>
  readonly deliveries: MemoryTable<GitDelivery>
}

/** Git hooks in memory. */
export function memoryGitHooksStore(tables: MemoryTables, run: Run, time: () => Date): GitHooksStore {
  const stored: HookTables = {
    hooks: tables.of<GitHook>('gitHooks'),
    secrets: tables.of<MemoryHookSecret>('gitHookSecrets'),
    deliveries: tables.of<GitDelivery>('gitDeliveries'),
  }
  const { hooks } = stored
  return {
    add: (hook: NewGitHook, max: number, now = time()) => run(() => add(stored, hook, max, now)),
    change: (id: string, settings: GitHookSettings, now = time()) =>
      run(() => {
        const before = hooks.get(id)
        if (before === undefined) return undefined
        const { licenseId, app, createdAt } = before
        const after = { ...settingsOf(settings), id, licenseId, app, createdAt, updatedAt: now }
        hooks.put(id, after)
        return after
      }),
    remove: (id: string) => run(() => remove(stored, id)),
    get: (scope, id) =>
      run(() => hooks.all().find((hook) => hook.id === id && isWithin(tables, scope, hook))),
    lock: (id: string) => run(() => hooks.get(id)),
    list: (scope, limit) =>
      run(() =>
        hooks
          .all()
          .filter((hook) => isWithin(tables, scope, hook))
          .sort((one, other) => byBytes(one.app, other.app) || byBytes(one.id, other.id))
          .slice(0, limit),
      ),
    find: (scope, ...idsOrApps) =>
      run(() =>
        hooks
          .all()
          .filter(
            (hook) =>
              isWithin(tables, scope, hook) && [hook.id, hook.app].some((each) => idsOrApps.includes(each)),
          )
          .sort((one, other) => byBytes(one.id, other.id)),
      ),
    ...secretMethods(stored, run, time),
    ...deliveryMethods(stored, run, time),
  }
}

const settingsOf = (given: GitHookSettings): GitHookSettings => ({
  fingerprint: given.fingerprint,
  provider: given.provider,
  repoUrl: given.repoUrl,
  branch: given.branch,
  tags: given.tags,
  paths: given.paths,
  pathsIgnore: given.pathsIgnore,
  enabled: given.enabled,
  cancelInProgress: given.cancelInProgress,
  allowSkip: given.allowSkip,
  cloneKind: given.cloneKind,
  submodules: given.submodules,
  deployKey: given.deployKey,
})

function add({ hooks }: HookTables, given: NewGitHook, max: number, now: Date): GitHook | undefined {
  const { id, licenseId, app } = given
  const ofLicense = hooks.all().filter((hook) => hook.licenseId === licenseId)
  if (ofLicense.length >= max || ofLicense.some((hook) => hook.app === app)) return undefined
  if (hooks.get(id) !== undefined) throw new Error('there is a hook with this id already')
  const hook = { ...settingsOf(given), id, licenseId, app, createdAt: now, updatedAt: now }
  hooks.put(id, hook)
  return hook
}

function remove({ hooks, secrets, deliveries }: HookTables, id: string): boolean {
  if (hooks.get(id) === undefined) return false
  hooks.put(id, undefined)
  for (const secret of secrets.all()) if (secret.hookId === id) secrets.put(secret.id, undefined)
  for (const delivery of deliveries.all())
    if (delivery.hookId === id) deliveries.put(keyOf(delivery), undefined)
  return true
}

function secretMethods(
  { hooks, secrets }: HookTables,
  run: Run,
  time: () => Date,
): Pick<GitHooksStore, 'secrets' | 'setSecret' | 'removeSecret'> {
  return {
    secrets: (hookId: string, now = time()) =>
      run(() =>
        secrets
          .all()
          .filter((each) => each.hookId === hookId && (each.until === undefined || each.until > now))
          .sort((one, other) => byBytes(one.kind, other.kind))
          .map(({ kind, secret: text, until }) => ({ hookId, kind, text, until })),
      ),
    setSecret: ({ hookId, kind, text, until }: HookSecret) =>
      run(() => {
        if (hooks.get(hookId) === undefined) throw new Error('there is no such hook')
        const id = hookSecretId(hookId, kind)
        secrets.put(id, { id, hookId, kind, secret: text, until })
      }),
    removeSecret: (hookId: string, kind: HookSecretKind) =>
      run(() => secrets.put(hookSecretId(hookId, kind), undefined)),
  }
}

const keyOf = ({ hookId, deliveryId, ref }: Omit<DeliveryKey, 'bodyDigest'>): string =>
  JSON.stringify([hookId, deliveryId, ref])

function deliveryMethods(
  { hooks, deliveries }: HookTables,
  run: Run,
  time: () => Date,
): Pick<
  GitHooksStore,
  'earlier' | 'latestOf' | 'isReplaced' | 'record' | 'deliveries' | 'lastDeliveries' | 'purge'
> {
  const ofRef = (hookId: string, ref: string) =>
    deliveries.all().filter((each) => each.hookId === hookId && each.ref === ref)
  return {
    earlier: ({ hookId, deliveryId, bodyDigest, ref }: DeliveryKey, now = time()) =>
      run(() => {
        const since = now.getTime() - SAME_BODY_HOURS * HOUR_MS
        const isSame = (each: GitDelivery) =>
          each.deliveryId === deliveryId ||
          (each.bodyDigest === bodyDigest && each.receivedAt.getTime() > since)
        const found = ofRef(hookId, ref).filter((each) => each.jobId !== undefined && isSame(each))
        return found.sort(newestFirst)[0]
      }),
    latestOf: (hookId: string, ref: string) =>
      run(
        () =>
          ofRef(hookId, ref)
            .filter(({ ignored }) => ignored !== 'duplicate' && ignored !== 'stale')
            .sort(newestFirst)[0],
      ),
    isReplaced: (hookId: string, ref: string, sha: string) =>
      run(() => ofRef(hookId, ref).some((each) => each.ignored === undefined && each.before === sha)),
    record: (delivery: NewGitDelivery, now = time()) =>
      run(() => {
        if (hooks.get(delivery.hookId) === undefined) throw new Error('there is no such hook')
        const before = deliveries.get(keyOf(delivery))
        if (before?.jobId !== undefined && delivery.ignored !== undefined) return
        deliveries.put(keyOf(delivery), { ...delivery, receivedAt: now, micros: `${now.getTime()}000` })
      }),
    deliveries: (hookId: string, limit: number, after?: Place) =>
      run(() =>
        deliveries
          .all()
          .filter((each) => each.hookId === hookId && (after === undefined || isBehind(each, after)))
          .sort(newestFirst)
          .slice(0, limit),
      ),
    lastDeliveries: (hookIds: readonly string[]) =>
      run(() =>
        [...new Set(hookIds)].toSorted(byBytes).flatMap((hookId) => {
          const own = deliveries.all().filter((each) => each.hookId === hookId)
          return own.sort(newestFirst).slice(0, 1)
        }),
      ),
    purge: (keptDays: number, now = time()) =>
      run(() => {
        const until = now.getTime() - keptDays * DAY_MS
        const old = deliveries.all().filter(({ receivedAt }) => receivedAt.getTime() < until)
        for (const each of old) deliveries.put(keyOf(each), undefined)
        return old.length
      }),
  }
}
