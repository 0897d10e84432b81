import { createHmac } from 'node:crypto'

const hex = (algorithm: string, secret: string, body: string | Buffer): string =>
  createHmac(algorithm, secret).update(body).digest('hex')

/** The credentials that each kind of host sends with a body, as headers. */
export const SIGNERS = {
  github: (secret: string, body: string | Buffer) => ({
    'x-hub-signature': `sha1=${hex('sha1', secret, body)}`,
    'x-hub-signature-256': `sha256=${hex('sha256', secret, body)}`,
  }),
  gitea: (secret: string, body: string | Buffer) => ({
    'x-gitea-signature': hex('sha256', secret, body),
    'x-gogs-signature': hex('sha256', secret, body),
    'x-hub-signature': `sha1=${hex('sha1', secret, body)}`,
    'x-hub-signature-256': `sha256=${hex('sha256', secret, body)}`,
  }),
  forgejo: (secret: string, body: string | Buffer) => ({
    ...SIGNERS.gitea(secret, body),
    'x-forgejo-signature': hex('sha256', secret, body),
  }),
  bitbucket: (secret: string, body: string | Buffer) => ({
    'x-hub-signature': `sha256=${hex('sha256', secret, body)}`,
  }),
  gitlabToken: (secret: string) => ({ 'x-gitlab-token': secret }),
  bearer: (secret: string) => ({ authorization: `Bearer ${secret}` }),
  basic: (secret: string) => ({ authorization: `Basic ${Buffer.from(`svc:${secret}`).toString('base64')}` }),
} as const

/** Signs as GitLab's signing tokens and Standard Webhooks do. */
export function standardSigned(
  secret: string,
  body: string | Buffer,
  { id = 'msg_1', at }: { readonly id?: string; readonly at: Date },
): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${digest}` }
}
