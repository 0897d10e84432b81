import { generateSigningKey } from '@svc/core'
import type { Command } from 'commander'
import type { Handler } from '../program/command-run.ts'
import { facts } from '../terminal/render.ts'
import { examples, type Run } from './declare.ts'

/** `svc mint-key` */
export function declareMintKey(program: Command, run: Run): void {
  const command = program
    .command('mint-key')
    .option('--json', 'print one JSON document')
    .action(run(async () => mintKey))
  examples(command, 'svc mint-key --json > signing-key.json')
}

/** Makes a signing key and prints it: the one command whose answer is a secret by purpose. */
export const mintKey: Handler<object> = async (run) => {
  const { privateKey: private_key, publicKey: public_key, kid } = generateSigningKey()
  const document = { private_key, public_key, kid }
  run.print(document, (page) => facts(Object.entries(document), page))
  run.hint('Set SERVICE_LICENSE_PRIVKEY to the private key; keep it secret, it is stored nowhere.')
}
