import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { isSigned } from '@svc/core'
import type { Handler } from '../../program/command-run.ts'
import { EXIT } from '../../terminal/failure.ts'

/** Flags of `svc webhooks verify`. */
export interface VerifyOptions {
  readonly secretFile: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
}

/** Checks the signature of a message, as a receiver does; exit code 1 if it is not signed by the secret. */
export const verifyMessage: Handler<VerifyOptions> = async (run) => {
  const { secretFile, id, timestamp, signature } = run.options
  const [secret = ''] = (await readFile(secretFile, 'utf8')).split('\n')
  const at = new Date(Number(timestamp) * 1000)
  const body = await text(run.io.input())
  const isSame =
    !Number.isNaN(at.getTime()) && isSigned({ id, at, body, secrets: [secret.trim()] }, signature)
  run.print({ valid: isSame }, () => (isSame ? 'the signature is good\n' : 'the signature is not good\n'))
  return isSame ? EXIT.done : EXIT.failed
}
