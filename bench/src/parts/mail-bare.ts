import { generateKeyPairSync } from 'node:crypto'
import { createTransport } from 'nodemailer'
import { closedLoop, type LoopRequest } from '../loop.ts'
import type { StartPart } from '../part.ts'

/** The least that a message costs: it is signed, and sent over connections that stay. */
export const start: StartPart<{ readonly relay: string; readonly connections: number }> = async (options) => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const transport = createTransport({
    url: options.relay,
    pool: true,
    maxConnections: options.connections,
    maxMessages: Number.POSITIVE_INFINITY,
    ignoreTLS: true,
    dkim: { domainName: 'mail.example.com', keySelector: 'bench', privateKey },
  })
  const once = async () => {
    await transport.sendMail({
      from: 'ann@mail.example.com',
      to: 'bob@example.net',
      subject: 'hello',
      text: 'Good morning.',
    })
    return true
  }
  return {
    commands: { run: (asked: LoopRequest) => closedLoop(asked, once) },
    stop: async () => transport.close(),
  }
}
