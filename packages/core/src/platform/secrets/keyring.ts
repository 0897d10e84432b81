import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { Problem } from '../../kernel/problem.ts'
import { type DataKey, parseDataKey } from '../config/data-key.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const SEALED = /^v1:([A-Za-z0-9_-]{1,16}):([\w-]{16}):([\w-]*):([\w-]{22})$/

/** The way a secret lies at rest: under the first key, under another one, under a missing one, or plain. */
export type SealState = 'current' | 'older' | 'unreadable' | 'plain'

/**
 * Seals secrets that the service has to read again, as `v1:<key id>:<iv>:<ciphertext>:<tag>` (AES-256-GCM,
 * base64url). The first key seals, every key opens. The place is authenticated with the text: a sealed text
 * that is moved to another row does not open.
 */
export class Keyring {
  readonly #keys: ReadonlyMap<string, DataKey>
  readonly #first: DataKey | undefined

  /** Entries are spelled as in `SERVICE_DATA_KEYS`. */
  constructor(entries: readonly string[]) {
    const keys = entries.map(parseDataKey).filter((key) => key !== undefined)
    this.#first = keys[0]
    this.#keys = new Map(keys.toReversed().map((key) => [key.id, key]))
  }

  /** Whether there is a key. Without one nothing is sealed. */
  get isConfigured(): boolean {
    return this.#first !== undefined
  }

  /**
   * Seals a secret for a place, such as `alert_webhooks.secret:ten_01…`.
   * @throws Problem `secrets-not-configured` without a key
   */
  seal(text: string, place: string): string {
    if (this.#first === undefined) throw unset()
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, this.#first.bytes, iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    const parts = [iv, sealed, cipher.getAuthTag()].map((bytes) => bytes.toString('base64url'))
    return ['v1', this.#first.id, ...parts].join(':')
  }

  /**
   * Opens a text that was sealed for the same place. Another text is returned as it is: a row from
   * before there were keys.
   * @throws Problem `secrets-not-configured` if its key is missing, or the text was changed or moved
   */
  open(stored: string, place: string): string {
    if (!stored.startsWith('v1:')) return stored
    const [, id = '', iv = '', text = '', tag = ''] = SEALED.exec(stored) ?? []
    const key = this.#keys.get(id)
    if (key === undefined) throw unreadable(place)
    const decipher = createDecipheriv(CIPHER, key.bytes, Buffer.from(iv, 'base64url'), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(Buffer.from(tag, 'base64url'))
    try {
      return Buffer.concat([decipher.update(text, 'base64url'), decipher.final()]).toString('utf8')
    } catch {
      throw unreadable(place)
    }
  }

  /** How a stored text lies at rest. */
  stateOf(stored: string): SealState {
    if (!stored.startsWith('v1:')) return 'plain'
    const [, id = ''] = SEALED.exec(stored) ?? []
    if (id === this.#first?.id) return 'current'
    return this.#keys.has(id) ? 'older' : 'unreadable'
  }
}

/** Secrets of one column by the way they lie at rest. */
export interface SecretCounts extends Readonly<Record<SealState, number>> {
  /** `<table>.<column>` */
  readonly column: string
}

const unset = () =>
  new Problem('secrets-not-configured', {
    detail: 'no key for secrets is set: svc secrets mint-key makes one for SERVICE_DATA_KEYS',
  })

const unreadable = (place: string) =>
  new Problem('secrets-not-configured', {
    detail: `the secret ${place} cannot be opened: its key is not in SERVICE_DATA_KEYS, or the text was changed`,
  })
