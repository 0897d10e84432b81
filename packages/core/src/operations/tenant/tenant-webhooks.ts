import type { WebhookDeliveries } from '../../webhooks/webhook-deliveries.ts'
import type { EndpointState } from '../../webhooks/webhook-endpoint.ts'
import type { Webhooks } from '../../webhooks/webhooks.ts'
import type { DeliveryFilter, EndpointScope } from '../../webhooks/webhooks-store.ts'

/** The endpoints of one tenant, to be read: those of others do not exist. */
export class TenantWebhooks implements Pick<Webhooks, 'list' | 'get' | 'view'> {
  readonly #tenantId: string
  readonly #webhooks: Webhooks

  constructor(tenantId: string, webhooks: Webhooks) {
    this.#tenantId = tenantId
    this.#webhooks = webhooks
  }

  list({ licenseId }: EndpointScope, page: { readonly after?: string | undefined; readonly limit: number }) {
    return this.#webhooks.list({ licenseId, tenantId: this.#tenantId }, page)
  }

  get(id: string, { licenseId }: EndpointScope): Promise<EndpointState> {
    return this.#webhooks.get(id, { licenseId, tenantId: this.#tenantId })
  }

  view(state: EndpointState, isOwner: boolean) {
    return this.#webhooks.view(state, isOwner)
  }
}

/** The deliveries to the endpoints of one tenant. */
export class TenantWebhookDeliveries implements Pick<WebhookDeliveries, 'deliveries' | 'delivery'> {
  readonly #tenantId: string
  readonly #deliveries: WebhookDeliveries

  constructor(tenantId: string, deliveries: WebhookDeliveries) {
    this.#tenantId = tenantId
    this.#deliveries = deliveries
  }

  deliveries(id: string, { licenseId }: EndpointScope, filter: Omit<DeliveryFilter, 'endpointId'>) {
    return this.#deliveries.deliveries(id, { licenseId, tenantId: this.#tenantId }, filter)
  }

  delivery(id: string, { licenseId }: EndpointScope, deliveryId: string) {
    return this.#deliveries.delivery(id, { licenseId, tenantId: this.#tenantId }, deliveryId)
  }
}
