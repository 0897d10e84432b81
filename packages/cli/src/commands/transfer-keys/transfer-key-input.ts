import { Problem } from '@svc/core'
import type { Io } from '../../io.ts'

/**
 * Returns the transfer key of `SVC_TRANSFER_KEY`, or the next line of standard input. It is no argument,
 * since every user of the machine can read those.
 * @throws Problem `invalid-input` when there is none
 */
export async function transferKeyInput(io: Pick<Io, 'env' | 'readSecret'>): Promise<string> {
  const key = io.env.SVC_TRANSFER_KEY?.trim() || (await io.readSecret('Transfer key: ')).trim()
  if (key !== '') return key
  throw new Problem('invalid-input', {
    detail: 'a transfer key comes on standard input, or in SVC_TRANSFER_KEY',
  })
}
