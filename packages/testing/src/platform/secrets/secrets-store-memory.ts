import type { Checkout, Credential, SecretColumnName, SecretsStore } from '@svc/core/ports'
import type { MemoryOrder } from '../../hosts/provisioning/memory-order.ts'
import type { MemoryTable } from '../../memory-table.ts'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import type { MemorySecondFactor } from '../../people/second-factors/second-factors-store-memory.ts'
import type { MemoryEmailDomain } from '../../reach/email/email-domains-store-memory.ts'
import type { MemoryEmailBody } from '../../reach/email/email-messages-store-memory.ts'
import type { MemoryEndpoint } from '../../reach/webhooks/memory-webhook.ts'
import { byBytes } from '../../text-order.ts'
import type { MemoryVariable } from '../../work/apps/apps-store-memory.ts'
import type { MemoryHookSecret } from '../../work/git/git-hooks-store-memory.ts'

interface SecretTable {
  rows(): readonly { readonly id: string; readonly text: string }[]
  write(id: string, text: string): void
}

function tableOf<Row extends { readonly secret: string }>(
  table: MemoryTable<Row>,
  idOf: (row: Row) => string,
): SecretTable {
  return {
    rows: () => table.all().map((row) => ({ id: idOf(row), text: row.secret })),
    write: (id, secret) => {
      const row = table.get(id)
      if (row !== undefined) table.put(id, { ...row, secret })
    },
  }
}

/** Secrets of a field that not every row has. */
function fieldOf<Row extends object, Field extends keyof Row & string>(
  table: MemoryTable<Row>,
  field: Field,
  idOf: (row: Row) => string,
): SecretTable {
  return {
    rows: () =>
      table.all().flatMap((row) => {
        const text = row[field]
        return typeof text === 'string' ? [{ id: idOf(row), text }] : []
      }),
    write: (id, text) => {
      const row = table.get(id)
      if (row !== undefined) table.put(id, { ...row, [field]: text })
    },
  }
}

function bodyKeysOf(tables: MemoryTables): SecretTable {
  const table = tables.of<MemoryEmailBody>('emailBodies')
  return {
    rows: () => table.all().map(({ id, key }) => ({ id, text: key })),
    write: (id, key) => {
      const row = table.get(id)
      if (row !== undefined) table.put(id, { ...row, key })
    },
  }
}
const oldSecrets = (table: MemoryTable<MemoryEndpoint>): SecretTable => ({
  rows: () =>
    table.all().flatMap(({ id, oldSecret }) => (oldSecret === undefined ? [] : [{ id, text: oldSecret }])),
  write: (id, oldSecret) => {
    const row = table.get(id)
    if (row !== undefined) table.put(id, { ...row, oldSecret })
  },
})

/** The keys that sign for domains, or those that will. */
function keysOf(tables: MemoryTables, isNext: boolean): SecretTable {
  const table = tables.of<MemoryEmailDomain>('emailDomains')
  const keyOf = (row: MemoryEmailDomain) => (isNext ? row.next : row.key)
  return {
    rows: () =>
      table.all().flatMap((row) => {
        const key = keyOf(row)
        return key === undefined ? [] : [{ id: row.id, text: key.privateKey }]
      }),
    write: (id, privateKey) => {
      const row = table.get(id)
      const key = row && keyOf(row)
      if (row === undefined || key === undefined) return
      table.put(id, { ...row, [isNext ? 'next' : 'key']: { ...key, privateKey } })
    },
  }
}

/** The sealed columns of checkouts. */
function checkoutsOf(tables: MemoryTables, column: 'request' | 'url'): SecretTable {
  const table = tables.of<Checkout>('billingCheckouts')
  return {
    rows: () => table.all().flatMap(({ id, [column]: text }) => (text === undefined ? [] : [{ id, text }])),
    write: (id, text) => {
      const row = table.get(id)
      if (row !== undefined) table.put(id, { ...row, [column]: text })
    },
  }
}

function envsOf({ jobs }: MemoryTables): SecretTable {
  return {
    rows: () =>
      jobs.all().flatMap(({ job: { id, sealedEnv: text } }) => (text === undefined ? [] : [{ id, text }])),
    write: (id, sealedEnv) => {
      const row = jobs.get(id)
      if (row !== undefined) jobs.put(id, { ...row, job: { ...row.job, sealedEnv } })
    },
  }
}

/** Stored secrets in memory. */
export function memorySecretsStore(tables: MemoryTables, run: Run): SecretsStore {
  const columns: Readonly<Record<SecretColumnName, SecretTable>> = {
    alertWebhooks: tableOf(tables.alerting.webhooks, ({ tenantId }) => tenantId),
    billingCheckoutRequests: checkoutsOf(tables, 'request'),
    billingCheckoutUrls: checkoutsOf(tables, 'url'),
    emailBodies: bodyKeysOf(tables),
    webhookEndpoints: tableOf(tables.of<MemoryEndpoint>('webhookEndpoints'), ({ id }) => id),
    webhookOldSecrets: oldSecrets(tables.of<MemoryEndpoint>('webhookEndpoints')),
    emailDomains: keysOf(tables, false),
    emailDomainsNext: keysOf(tables, true),
    appVariables: fieldOf(tables.of<MemoryVariable>('appVariables'), 'secret', ({ id }) => id),
    jobEnvs: envsOf(tables),
    gitHookSecrets: tableOf(tables.of<MemoryHookSecret>('gitHookSecrets'), ({ id }) => id),
    provisioningKeys: fieldOf(tables.of<MemoryOrder>('provisioningOrders'), 'licenseKey', ({ id }) => id),
    providerTokens: fieldOf(
      tables.of<Credential>('providerCredentials'),
      'tokenEnc',
      ({ provider }) => provider,
    ),
    secondFactors: tableOf(tables.of<MemorySecondFactor>('secondFactors'), ({ userId }) => userId),
  }
  return {
    page: (column, after, limit) =>
      run(() =>
        columns[column]
          .rows()
          .filter(({ id }) => after === undefined || byBytes(id, after) > 0)
          .toSorted((one, other) => byBytes(one.id, other.id))
          .slice(0, limit),
      ),
    replace: (column, { id, from, to }) =>
      run(() => {
        const isSame = columns[column].rows().some((row) => row.id === id && row.text === from)
        if (isSame) columns[column].write(id, to)
        return isSame
      }),
  }
}
