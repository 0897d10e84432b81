import { defaulted, optional } from 'superstruct'
import { MONEY_FORM, readMoney } from '../../kernel/money.ts'
import { flag, listOf, matching, oneOf, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { MAX_LOCATIONS, MAX_SSH_KEYS } from './catalog.ts'
import { PROVIDERS } from './order.ts'
import type { ProviderCredentials } from './provider-credentials.ts'
import type { Provisioning } from './provisioning.ts'
import { PROVISIONING_ANSWERS } from './provisioning-answers.ts'
import {
  budgetView,
  catalogView,
  credentialView,
  reconciliationView,
  serverView,
  workView,
} from './provisioning-view.ts'

/** The services that operations on provisioning use. */
export interface ProvisioningUses {
  readonly provisioning: Provisioning
  readonly providerCredentials: ProviderCredentials
}

const operation = operationOf<ProvisioningUses>()
const provider = oneOf(PROVIDERS)
const name = text(1, 64)
const reads = { permission: 'platform.security', scope: 'platform', changes: false } as const
const changes = { permission: 'platform.admin', scope: 'platform', changes: true } as const

const check = operation({
  name: 'provision.check',
  summary: 'list the closed gates that keep servers from being ordered; asks no provider',
  ...reads,
  answer: PROVISIONING_ANSWERS.check,
  input: {},
  run: async ({ provisioning }) => {
    const { missing, templateFaults } = await provisioning.check()
    return { missing, template_faults: templateFaults }
  },
})

const step = operation({
  name: 'provision.step',
  summary: 'take the next step of orders that are due, as the worker does',
  ...changes,
  answer: PROVISIONING_ANSWERS.work,
  input: { order: optional(text(1, 64)), limit: defaulted(whole(1, 10), 1) },
  run: async ({ provisioning }, { order: orderId, limit }) =>
    workView(await provisioning.work({ orderId, limit })),
})

const budget = operation({
  name: 'provision.budget',
  summary: 'show the spending ceiling, and the amount that orders have reserved',
  ...reads,
  answer: PROVISIONING_ANSWERS.budget,
  input: {},
  run: async ({ provisioning }) => budgetView(await provisioning.budget()),
})

const reconcile = operation({
  name: 'provision.reconcile',
  summary: 'compare the servers of a provider with the orders; changes nothing',
  ...reads,
  answer: PROVISIONING_ANSWERS.reconciliation,
  input: { provider: defaulted(provider, 'hetzner') },
  run: async ({ provisioning }, input) => reconciliationView(await provisioning.reconcile(input.provider)),
})

const removeServer = operation({
  name: 'provision.remove-server',
  summary: 'delete a server of this control plane that no order knows',
  ...changes,
  confirmed: true,
  answer: PROVISIONING_ANSWERS.server,
  input: { provider: defaulted(provider, 'hetzner'), server: matching(/^\d{1,16}$/, 'the id of a server') },
  run: async ({ provisioning }, input) => ({
    server: serverView(await provisioning.removeServer(input.provider, input.server)),
  }),
})

const listCatalog = operation({
  name: 'provision-catalog.list',
  summary: "list the catalogue: the providers' offers for each plan",
  ...reads,
  answer: PROVISIONING_ANSWERS.catalog,
  input: {},
  run: async ({ provisioning }) => ({ catalog: (await provisioning.catalog()).map(catalogView) }),
})

const money = matching(/^\d{1,9}\.\d{2} [A-Z]{3}$/, MONEY_FORM)

const setCatalog = operation({
  name: 'provision-catalog.set',
  summary: "set a provider's offer for a plan, and its highest price",
  ...changes,
  answer: PROVISIONING_ANSWERS.entry,
  input: {
    plan: name,
    provider,
    server_type: name,
    locations: listOf(name, MAX_LOCATIONS),
    image: name,
    ssh_keys: listOf(text(1, 128), MAX_SSH_KEYS),
    max_monthly: money,
    enabled: defaulted(flag(), true),
  },
  run: async ({ provisioning }, { server_type, ssh_keys, max_monthly, ...input }) => {
    const { minor = 0, currency = '' } = readMoney(max_monthly) ?? {}
    const entry = { ...input, serverType: server_type, sshKeys: ssh_keys, maxMonthlyMinor: minor, currency }
    return { entry: catalogView(await provisioning.setCatalog(entry)) }
  },
})

const removeCatalog = operation({
  name: 'provision-catalog.remove',
  summary: 'remove a plan from the catalogue; its servers stay',
  ...changes,
  answer: PROVISIONING_ANSWERS.removed,
  input: { plan: name, provider },
  run: async ({ provisioning }, input) => {
    await provisioning.removeCatalog(input.plan, input.provider)
    return { removed: true }
  },
})

const credentials = async (services: ProvisioningUses) => ({
  credentials: (await services.providerCredentials.list()).map(credentialView),
})

const showCredentials = operation({
  name: 'provision-credentials.show',
  summary: "show the known state of the providers' tokens, but no token",
  ...reads,
  answer: PROVISIONING_ANSWERS.credentials,
  input: {},
  run: credentials,
})

const setCredential = operation({
  name: 'provision-credentials.set',
  summary: 'store the token of a provider, sealed',
  ...changes,
  confirmed: true,
  answer: PROVISIONING_ANSWERS.credentials,
  input: { provider, secret: text(1, 512) },
  run: async (services, input) => {
    await services.providerCredentials.set(input.provider, input.secret)
    return credentials(services)
  },
})

const verifyCredential = operation({
  name: 'provision-credentials.verify',
  summary: 'ask a provider whether its token may read and write',
  ...changes,
  answer: PROVISIONING_ANSWERS.credentials,
  input: { provider },
  run: async (services, input) => {
    await services.providerCredentials.verify(input.provider)
    return credentials(services)
  },
})

const clearCredential = operation({
  name: 'provision-credentials.clear',
  summary: 'forget the stored token of a provider',
  ...changes,
  confirmed: true,
  answer: PROVISIONING_ANSWERS.credentials,
  input: { provider },
  run: async (services, input) => {
    await services.providerCredentials.clear(input.provider)
    return credentials(services)
  },
})

const renderTemplate = operation({
  name: 'provision-template.render',
  summary: 'show the user data of a made-up order, without a license key',
  ...reads,
  answer: PROVISIONING_ANSWERS.template,
  input: {},
  run: async ({ provisioning }) => ({ template: await provisioning.sampleTemplate() }),
})

/** Operations on provisioning, beside those on orders. */
export const provisioningOperations = [
  check,
  step,
  budget,
  reconcile,
  removeServer,
  listCatalog,
  setCatalog,
  removeCatalog,
  showCredentials,
  setCredential,
  verifyCredential,
  clearCredential,
  renderTemplate,
]
