import type { Storage } from '@svc/core'
import { buildEndpoint, FakeClock, memoryStorage, nothingLeft, type TestPlane, testPlane } from '@svc/testing'
import {
  eventText,
  LoopbackProvider,
  providerSettings,
  type SubscriptionFields,
  signedBy,
} from '../../../../../test/support/payment-provider.ts'

type Json = Record<string, unknown>

/** A plane that a provider on the loopback serves, with one license. */
export interface BillingScene extends AsyncDisposable {
  readonly test: TestPlane
  readonly provider: LoopbackProvider
  readonly licenseId: string
  readonly key: string
  /** Has the provider send an event; returns the plane's answer. */
  send(type: string, object: Json, fields?: Json): Promise<object>
  /** Sends a text as it is, signed now. */
  deliver(text: string): Promise<object>
  /** Adds a subscription of the license at the provider. */
  subscribe(fields?: SubscriptionFields): Json
  /** How the license stands. */
  license(): Promise<Json>
  /** Rows that billing left in the audit log. */
  audited(): Promise<number>
  /** Messages of `type` that wait for the license's endpoint. */
  told(type?: string): Promise<number>
}

/** Options of a scene. */
export interface SceneOptions {
  readonly env?: Record<string, string | undefined>
  readonly storage?: Storage
}

/** Makes a plane with a provider and a license, whose endpoint takes every event. */
export async function billingScene({ env = {}, storage }: SceneOptions = {}): Promise<BillingScene> {
  const provider = await LoopbackProvider.start()
  const clock = new FakeClock()
  const stores = storage ?? memoryStorage(clock)
  const test = testPlane({ clock, storage: stores, env: { ...providerSettings(provider.base), ...env } })
  const { plane } = test
  const { id: licenseId, key } = await test.license('shop')
  const endpoint = buildEndpoint({ licenseId, events: ['billing.*'] })
  await plane.storage.webhooks.add(endpoint, 10)
  const deliver = (text: string) =>
    plane.paymentEvents.receive({ body: Buffer.from(text), signature: signedBy(text, clock.now()) })
  return {
    test,
    provider,
    licenseId,
    key,
    deliver,
    send: (type, object, fields) => deliver(eventText(type, object, fields)),
    subscribe: (fields = {}) => provider.subscribe({ licenseId, ...fields }),
    license: async () => {
      const row = await plane.storage.licenses.get(licenseId)
      const { tier, status, statusReason, billingState, expiresAt, currentPeriodEnd } = row ?? {}
      return { tier, status, statusReason, billingState, expiresAt, currentPeriodEnd }
    },
    audited: async () => (await plane.storage.audit.list(1000, { operation: 'billing.apply' })).length,
    told: async (type = 'billing.license_updated') => {
      const filter = { endpointId: endpoint.id, states: undefined, after: undefined, limit: 1000 }
      const sent = await plane.storage.webhooks.deliveries(filter)
      return sent.filter((each) => each.type === type).length
    },
    [Symbol.asyncDispose]: async () => {
      const close = async () => {
        if (storage === undefined) await test[Symbol.asyncDispose]()
        await provider[Symbol.asyncDispose]()
      }
      if (storage === undefined) await nothingLeft(test).finally(close)
      else await close()
    },
  }
}

/** The code of the problem that a promise is refused with. */
export const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => value,
    (error: { code?: string }) => error.code,
  )
