import type { TransferMint } from '../../transfer-keys/transfer-fields.ts'
import type { TransferKey } from '../../transfer-keys/transfer-key.ts'
import { noTransferKey, type TransferKeys } from '../../transfer-keys/transfer-keys.ts'
import type { TransferKeyFilter } from '../../transfer-keys/transfer-keys-store.ts'
import type { OperatedTransferKeys } from '../../transfer-keys/transfer-operations.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The transfer keys of one tenant. Others do not exist for it. */
export class TenantTransferKeys implements OperatedTransferKeys {
  readonly #keys: TransferKeys
  readonly #licenses: TenantLicenses

  constructor(keys: TransferKeys, licenses: TenantLicenses) {
    this.#keys = keys
    this.#licenses = licenses
  }

  async mint(licenseId: string, given: TransferMint) {
    await this.#licenses.require(licenseId)
    return this.#keys.mint(licenseId, given)
  }

  async get(id: string): Promise<TransferKey> {
    const key = await this.#keys.get(id)
    if (!(await this.#licenses.owns(key.licenseId))) throw noTransferKey(id)
    return key
  }

  async list(filter: TransferKeyFilter): Promise<readonly TransferKey[]> {
    const keys = await this.#licenses.reads(filter.licenseId, (licenseId) =>
      this.#keys.list({ ...filter, licenseId }),
    )
    return keys.sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, filter.limit)
  }

  async uses(id: string) {
    await this.get(id)
    return this.#keys.uses(id)
  }

  async revoke(licenseId: string, id: string): Promise<TransferKey> {
    await this.get(id)
    return this.#keys.revoke(licenseId, id)
  }

  now(): Date {
    return this.#keys.now()
  }
}
