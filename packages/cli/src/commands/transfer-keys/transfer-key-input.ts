import { Problem } from '@svc/core/client'
import type { Io } from '../../terminal/io.ts'

/**
 * Returns the transfer key of `SVC_TRANSFER_KEY`, or the next line of standard input. It is no argument,
 * since every user of the machine can read those.
 * @throws Problem `invalid-input` when there is none
 */
export async function transferKeyInput(
  io: Pick<Io, 'env' | 'eraseVariable' | 'readSecret'>,
): Promise<string> {
  const given = io.env.SVC_TRANSFER_KEY?.trim()
  // A transfer takes a while; other processes of this user could read it in `/proc` meanwhile.
  if (given !== undefined) io.eraseVariable('SVC_TRANSFER_KEY')
  const key = given || (await io.readSecret('Transfer key: ')).trim()
  if (key !== '') return key
  throw new Problem('invalid-input', {
    detail: 'a transfer key comes on standard input, or in SVC_TRANSFER_KEY',
  })
}
