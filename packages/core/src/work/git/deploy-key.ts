import { generateKeyPairSync, randomBytes } from 'node:crypto'

const TYPE = 'ssh-ed25519'
const MAGIC = Buffer.from('openssh-key-v1\0')
/** Private parts are padded to whole blocks of the cipher; blocks of `none` have eight bytes. */
const BLOCK = 8
/** OpenSSH breaks lines after 70 columns. */
const LINES = /.{1,70}/g

/** An ssh key: the public half for the git host, the private half for the host that fetches. */
export interface DeployKey {
  /** `ssh-ed25519 <base64> <comment>`, as authorized_keys and the pages of git hosts take it. */
  readonly publicKey: string
  /** Without a passphrase, in the format of OpenSSH: it reads no Ed25519 key in PKCS#8. */
  readonly privateKey: string
}

/** Makes an Ed25519 key. `comment` has no blanks. */
export function newDeployKey(comment: string): DeployKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' })
  const [pub, seed] = [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')]
  return {
    publicKey: `${TYPE} ${publicBlob(pub).toString('base64')} ${comment}`,
    privateKey: opensshKey(pub, seed, comment),
  }
}

const field = (bytes: Buffer | string): Buffer => {
  const body = Buffer.from(bytes as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

const publicBlob = (pub: Buffer): Buffer => Buffer.concat([field(TYPE), field(pub)])

// The format of OpenSSH's PROTOCOL.key, with the cipher and the key derivation `none`.
function opensshKey(pub: Buffer, seed: Buffer, comment: string): string {
  const check = randomBytes(4)
  const key = [field(TYPE), field(pub), field(Buffer.concat([seed, pub])), field(comment)]
  const open = Buffer.concat([check, check, ...key])
  const padding = Buffer.from(
    Array.from({ length: (BLOCK - (open.length % BLOCK)) % BLOCK }, (_, at) => at + 1),
  )
  const one = Buffer.alloc(4)
  one.writeUInt32BE(1)
  const head = [MAGIC, field('none'), field('none'), field(''), one, field(publicBlob(pub))]
  const text = Buffer.concat([...head, field(Buffer.concat([open, padding]))]).toString('base64')
  const lines = text.match(LINES) ?? []
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}
