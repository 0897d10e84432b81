import { defineEntity, p } from '@mikro-orm/core'
import { fact, sealed, type TablesOf, time, valuesOf, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { CloneKind, GitProvider, SubmoduleScope } from './git-hook.ts'
import type { GitDelivery, HookSecret, HookSecretKind } from './git-hooks-store.ts'
import type { Ignored } from './push/push-verdict.ts'

/** Table `git_hooks`. */
export const GitHookEntity = defineEntity({
  name: 'GitHook',
  tableName: 'git_hooks',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    app: fact(p.text()),
    fingerprint: fact(p.text()),
    provider: word(p.text().$type<GitProvider>()),
    repoUrl: fact(p.text()),
    branch: fact(p.text()),
    tags: fact(p.text().nullable()),
    paths: fact(p.json().$type<readonly string[]>()),
    pathsIgnore: fact(p.json().$type<readonly string[]>()),
    enabled: p.boolean(),
    cancelInProgress: p.boolean(),
    allowSkip: p.boolean(),
    cloneKind: word(p.text().$type<CloneKind>()),
    deployKey: fact(p.text().nullable()),
    createdAt: time(),
    updatedAt: time(),
    submodules: word(p.text().$type<SubmoduleScope>().default('none')),
  },
})

/** Table `git_hook_secrets`. */
export const GitHookSecretEntity = defineEntity({
  name: 'GitHookSecret',
  tableName: 'git_hook_secrets',
  properties: {
    id: word(p.text().primary()),
    hookId: word(p.text()),
    kind: word(p.text().$type<HookSecretKind>()),
    secret: sealed(p.text()),
    until: time().nullable(),
  },
})

/** Table `git_deliveries`. */
export const GitDeliveryEntity = defineEntity({
  name: 'GitDelivery',
  tableName: 'git_deliveries',
  properties: {
    id: word(p.text().primary()),
    hookId: word(p.text()),
    deliveryId: word(p.text()),
    bodySha256: fact(p.text()),
    provider: word(p.text().$type<GitProvider>()),
    event: fact(p.text()),
    ref: fact(p.text()),
    before: fact(p.text().nullable()),
    sha: fact(p.text().nullable()),
    outcome: word(p.text().$type<'accepted' | 'ignored'>()),
    ignoredReason: word(p.text().$type<Ignored>().nullable()),
    jobId: word(p.text().nullable()),
    address: fact(p.text()),
    receivedAt: time(),
  },
})

/** Its tables. */
export const entities = [GitHookEntity, GitHookSecretEntity, GitDeliveryEntity]

/** Reads a row of `git_hooks`. */
export const toHook = valuesOf(GitHookEntity)

const secretOf = valuesOf(GitHookSecretEntity, 'id')
/** Reads a row of `git_hook_secrets`. */
export function toSecret(row: object): HookSecret {
  const { secret: text, ...of } = secretOf(row)
  return { ...of, text }
}

/** A row of `git_deliveries` with its instant in microseconds. */
export interface DeliveryRow {
  readonly micros: string
}

const deliveryOf = valuesOf(GitDeliveryEntity, 'outcome')
/** Reads a delivery. */
export function toDelivery(row: DeliveryRow): GitDelivery {
  const { bodySha256: bodyDigest, ignoredReason: ignored, ...delivery } = deliveryOf(row)
  return { ...delivery, bodyDigest, ignored, micros: row.micros }
}

interface Tables
  extends TablesOf<typeof GitHookEntity | typeof GitHookSecretEntity | typeof GitDeliveryEntity> {}

/** Statements over them. */
export const { statement, scoped } = statementsOver<Tables>()
