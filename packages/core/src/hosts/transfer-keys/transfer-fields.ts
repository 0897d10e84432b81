import { defaulted, type Infer, optional, type Struct } from 'superstruct'
import {
  field,
  type JsonSchema,
  listOf,
  namedShape,
  oneOf,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'
import { snapshotId } from '../../work/images/image-fields.ts'

const fingerprint = text(1, 512)
const MAX_KEY_CHARS = 4096

const bytes: Struct<number, JsonSchema> = field(
  { type: 'number', minimum: 0, maximum: 2 ** 53 },
  (value) => typeof value === 'number' && value >= 0 && value <= 2 ** 53,
  'a number from 0 to 2^53',
)

/** The bounds of a key; an absent one bounds nothing. */
export const transferScope = namedShape('TransferScope', {
  app: optional(text(1, 63)),
  image_checksum: optional(snapshotId),
  paths: optional(listOf(text(1, 128), 20)),
  max_bytes: optional(bytes),
})
/** The bounds of a key. */
export type TransferScope = Infer<typeof transferScope>

/** Fields of a mint that do not name hosts. */
export const MINT_FIELDS = {
  mode: defaulted(oneOf(['pull', 'drop']), 'pull' as const),
  max_uses: defaulted(whole(1, 8), 1),
  pin: optional(text(4, 128)),
  ttl_s: defaulted(whole(60, 86_400), 900),
  scope: optional(transferScope),
}

/** The body that mints a key (docs/transfer.md). */
export const transferMint = shape({
  source_fingerprint: fingerprint,
  target_fingerprint: fingerprint,
  ...MINT_FIELDS,
})
/** The body that mints a key. */
export type TransferMint = Infer<typeof transferMint>

/** The body that redeems a key, sent by the peer that listens. */
export const transferRedeem = shape({
  key: text(1, MAX_KEY_CHARS),
  fingerprint,
  peer_fingerprint: fingerprint,
  pin: optional(text(1, 128)),
})
/** The body that redeems a key. */
export type TransferRedeem = Infer<typeof transferRedeem>

/** The body that revokes a key. */
export const transferRevoke = shape({ id: text(1, 64) })
