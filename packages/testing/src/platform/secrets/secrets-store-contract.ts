import type { Storage } from '@svc/core'
import { hookSecretId, type ProviderName, type SecretColumnName, variableId } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { buildOrder } from '../../hosts/provisioning/build-order.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { buildTenant } from '../../people/tenants/build-tenant.ts'
import { buildUser } from '../../people/users/build-user.ts'
import { buildCheckout } from '../../reach/billing/build-billing.ts'
import { buildEmailDomain } from '../../reach/email/build-email-domain.ts'
import { buildEmailMessage } from '../../reach/email/build-email-message.ts'
import { buildEndpoint } from '../../reach/webhooks/build-endpoint.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildApp } from '../../work/apps/build-app.ts'
import { buildGitHook } from '../../work/git/build-git-hook.ts'
import { buildJob } from '../../work/jobs/build-job.ts'

/** Stores a secret in a column and returns the id of its row. */
type Store = (storage: Storage, secret: string) => Promise<string>

const aLicense = async ({ licenses }: Storage) => (await licenses.add(buildLicense())).id

const STORED: Readonly<Record<SecretColumnName, Store>> = {
  alertWebhooks: async ({ tenants, alertDeliveries }, secret) => {
    const { id: tenantId } = buildTenant()
    await tenants.add({ id: tenantId, name: tenantId })
    await alertDeliveries.setWebhook({ tenantId, url: 'https://hook.example', secret, rotate: true })
    return tenantId
  },
  appVariables: async ({ apps }, secret) => {
    const app = await apps.add(buildApp(), 10)
    await apps.setVariables(app?.id ?? '', [{ name: 'TOKEN', value: undefined, secret }])
    return variableId(app?.id ?? '', 'TOKEN')
  },
  billingCheckoutRequests: async (storage, request) => {
    const checkout = buildCheckout({ licenseId: await aLicense(storage), request })
    await storage.billing.reserve(checkout)
    return checkout.id
  },
  billingCheckoutUrls: async (storage, url) => {
    const { billing } = storage
    const checkout = buildCheckout({ licenseId: await aLicense(storage) })
    await billing.reserve(checkout)
    await billing.moveCheckout(checkout.id, { from: ['creating'], state: 'open', url })
    return checkout.id
  },
  emailBodies: async ({ emailMessages }, secret) => {
    const message = buildEmailMessage()
    await emailMessages.add({ ...message, body: { key: secret, text: 'sealed' } })
    return message.id
  },
  webhookEndpoints: async ({ webhooks }, secret) => {
    const endpoint = buildEndpoint({ secret })
    await webhooks.add(endpoint, 10)
    return endpoint.id
  },
  webhookOldSecrets: async ({ webhooks }, oldSecret) => {
    const endpoint = buildEndpoint()
    const { id, secret: from } = endpoint
    await webhooks.add(endpoint, 10)
    await webhooks.rotate({ id, from, secret: 'v1:new', oldSecret, graceSeconds: 60 })
    return id
  },
  emailDomains: async ({ emailDomains }, secret) => {
    const made = buildEmailDomain()
    await emailDomains.add({ ...made, key: { ...made.key, privateKey: secret } }, 1)
    return made.id
  },
  emailDomainsNext: async ({ emailDomains }, secret) => {
    const { id, key } = buildEmailDomain()
    await emailDomains.add({ id, owner: id, name: 'mail.example.com', key }, 1)
    await emailDomains.setNext(id, { ...key, selector: `n${key.selector}`, privateKey: secret })
    return id
  },
  gitHookSecrets: async ({ gitHooks }, secret) => {
    const hook = buildGitHook()
    await gitHooks.add(hook, 100)
    await gitHooks.setSecret({ hookId: hook.id, kind: 'secret', text: secret, until: undefined })
    return hookSecretId(hook.id, 'secret')
  },
  jobEnvs: async ({ jobs }, sealedEnv) => (await jobs.enqueue(buildJob({ sealedEnv }))).job.id,
  provisioningKeys: async ({ provisioning }, licenseKey) => {
    const order = buildOrder({ licenseKey })
    await provisioning.add(order)
    return order.id
  },
  // A row for each provider; there are few of them: the ids of others pass for the rows that are asked for.
  providerTokens: async ({ provisioning }, tokenEnc) => {
    const provider = buildId('provider') as ProviderName
    await provisioning.setCredential({ provider, fingerprint: 'digest', tokenEnc })
    return provider
  },
  secondFactors: async ({ users, secondFactors }, secret) => {
    const user = buildUser()
    await users.add(user)
    await secondFactors.begin(user.id, secret)
    return user.id
  },
}

/** Contract suite of stores of sealed secrets. */
export function secretsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`secrets store on ${name}`, () => {
    const storage = openedStorage(open)
    describe.each(Object.keys(STORED) as SecretColumnName[])('%s', (column) => columnTests(storage, column))
  })
}

function columnTests(storage: () => Storage, column: SecretColumnName): void {
  const secrets = () => storage().secrets
  const stored = (secret: string) => STORED[column](storage(), secret)
  const textOf = async (id: string) =>
    (await secrets().page(column, undefined, 1000)).find((each) => each.id === id)?.text

  it('is read in pages, in the order of ids, each row once', async () => {
    const made = await Promise.all(['v1:a', 'v1:b', 'v1:c', 'v1:d', 'v1:e'].map(stored))
    const ids: string[] = []
    let after: string | undefined
    do {
      const page = await secrets().page(column, after, 2)
      ids.push(...page.map(({ id }) => id))
      after = page.at(-1)?.id
    } while (after !== undefined)
    expect(ids).toEqual(ids.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(made))
  })

  it('a secret is replaced as long as it is the same, and no other is', async () => {
    const [id, other] = [await stored('first'), await stored('first')]
    expect(await secrets().replace(column, { id, from: 'first', to: 'second' })).toBe(true)
    expect(await secrets().replace(column, { id, from: 'first', to: 'third' })).toBe(false)
    expect([await textOf(id), await textOf(other)]).toEqual(['second', 'first'])
  })

  it('of several that replace one secret one succeeds', async () => {
    const id = await stored('one')
    const results = await Promise.all(
      ['a', 'b', 'c', 'd'].map((to) => secrets().replace(column, { id, from: 'one', to })),
    )
    expect(results.filter(Boolean)).toHaveLength(1)
  })

  it('a row that is gone is not made again', async () => {
    const change = { id: buildId('gone'), from: 'one', to: 'two' }
    expect(await secrets().replace(column, change)).toBe(false)
    expect(await textOf(change.id)).toBeUndefined()
  })
}
