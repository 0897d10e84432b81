import type { Keyring } from '../../platform/secrets/keyring.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import type { Order } from './order.ts'
import { type Placeholder, renderTemplate, UnfitValue } from './template.ts'
import { readTemplate } from './template-file.ts'

/** Dependencies of `UserData`. */
export interface UserDataParts {
  readonly keyring: Keyring
  /** The file with the template. */
  readonly file: string | undefined
  /** The address that hosts reach the service at. */
  readonly publicUrl: string | undefined
}

/** Placeholders whose values a rendering for people leaves out. */
const SHOWN_KEY = 'license-key-left-out'

/** The user data of servers: made when it is sent, and kept nowhere. */
export class UserData {
  readonly #parts: UserDataParts

  constructor(parts: UserDataParts) {
    this.#parts = parts
  }

  /** Returns the faults of the template, and of the values for it; empty if there are none. */
  async faults(): Promise<readonly string[]> {
    const { faults } = await readTemplate(this.#parts.file)
    return this.#parts.publicUrl === undefined ? [...faults, 'SERVICE_PUBLIC_URL is not set'] : faults
  }

  /**
   * Returns the user data of an order's server, with its license key.
   * @throws UnfitValue if there is none; Problem `secrets-not-configured`
   */
  async of(order: Order): Promise<string> {
    const { licenseKey: sealed } = order
    if (sealed === undefined) throw new UnfitValue('the order has no license key any more')
    const key = this.#parts.keyring.open(sealed, placeOf('provisioningKeys', order.id))
    return this.#render(order, key)
  }

  /** Returns the user data as people may see it: without the license key. @throws UnfitValue */
  sample(order: Pick<Order, 'hostname' | 'id' | 'nonce'>): Promise<string> {
    return this.#render(order, SHOWN_KEY)
  }

  async #render(order: Pick<Order, 'hostname' | 'id' | 'nonce'>, key: string): Promise<string> {
    const { file, publicUrl } = this.#parts
    const { text, faults } = await readTemplate(file)
    if (text === undefined || publicUrl === undefined)
      throw new UnfitValue(`the template cannot be used: ${faults[0] ?? 'SERVICE_PUBLIC_URL is not set'}`)
    const values: Record<Placeholder, string> = {
      base_url: publicUrl,
      license_key: key,
      hostname: order.hostname,
      order_id: order.id,
      nonce: order.nonce,
    }
    return renderTemplate(text, values)
  }
}
