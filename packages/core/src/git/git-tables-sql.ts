import { defineEntity, p } from '@mikro-orm/core'
import { fact, sealed, time, word } from '../database/table-sql.ts'

/** Table `git_hooks`. */
export const GitHookEntity = defineEntity({
  name: 'GitHook',
  tableName: 'git_hooks',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    app: fact(p.text()),
    fingerprint: fact(p.text()),
    provider: word(p.text()),
    repoUrl: fact(p.text()),
    branch: fact(p.text()),
    tags: fact(p.text().nullable()),
    paths: fact(p.json()),
    pathsIgnore: fact(p.json()),
    enabled: p.boolean(),
    cancelInProgress: p.boolean(),
    allowSkip: p.boolean(),
    cloneKind: word(p.text()),
    deployKey: fact(p.text().nullable()),
    createdAt: time(),
    updatedAt: time(),
    submodules: word(p.text().default('none')),
  },
})

/** Table `git_hook_secrets`. */
export const GitHookSecretEntity = defineEntity({
  name: 'GitHookSecret',
  tableName: 'git_hook_secrets',
  properties: {
    id: word(p.text().primary()),
    hookId: word(p.text()),
    kind: word(p.text()),
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
    provider: word(p.text()),
    event: fact(p.text()),
    ref: fact(p.text()),
    before: fact(p.text().nullable()),
    sha: fact(p.text().nullable()),
    outcome: word(p.text()),
    ignoredReason: word(p.text().nullable()),
    jobId: word(p.text().nullable()),
    address: fact(p.text()),
    receivedAt: time(),
  },
})

/** Its tables. */
export const entities = [GitHookEntity, GitHookSecretEntity, GitDeliveryEntity]
