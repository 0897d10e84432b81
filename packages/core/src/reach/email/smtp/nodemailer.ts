import type { createTransport } from 'nodemailer'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'

/** The parts of nodemailer that are used. */
export interface Nodemailer {
  readonly createTransport: typeof createTransport
  readonly Connection: typeof SMTPConnection
}

let loading: Promise<Nodemailer> | undefined

/** Loads nodemailer, once, when the first message leaves: a plane without a relay never pays for it. */
export function nodemailer(): Promise<Nodemailer> {
  loading ??= load()
  return loading
}

async function load(): Promise<Nodemailer> {
  const { createTransport } = await import('nodemailer')
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  return { createTransport, Connection }
}
