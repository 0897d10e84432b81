import { Signer } from '@svc/core'
import { REFRESH_TYP } from '@svc/core/ports'
import nacl from 'tweetnacl'
import { closedLoop, type LoopRequest } from '../loop.ts'
import type { StartPart } from '../part.ts'

/** The library that signs. */
export interface SignaturesOptions {
  readonly way: 'svc' | 'tweetnacl'
}

const SEED = Buffer.alloc(32, 9)
const REFRESH_SECONDS = 259_200

/** Signs refreshes one after the other. */
export const start: StartPart<SignaturesOptions> = async ({ way }) => {
  const signer = new Signer({ privateKey: SEED.toString('base64url') })
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'svc',
    aud: 'svc-agent',
    sub: 'lic',
    fp: 'fp',
    iat,
    exp: iat + REFRESH_SECONDS,
    next: 60,
  }
  const { secretKey } = nacl.sign.keyPair.fromSeed(SEED)
  const token = signer.sign(REFRESH_TYP, claims)
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')))
  const ways = {
    svc: () => signer.sign(REFRESH_TYP, claims).length,
    tweetnacl: () => nacl.sign.detached(signed, secretKey).length,
  }
  const sign = ways[way]
  const once = async () => sign() > 0
  return { commands: { run: (request: LoopRequest) => closedLoop(request, once) }, stop: async () => {} }
}
