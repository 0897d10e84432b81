import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Problem, verificationKeys } from '@svc/core'
import { readTransferKey, type TransferToken } from '@svc/core/adapters'
import type { Handler } from '../../program/command-run.ts'
import { EXIT } from '../../terminal/failure.ts'
import { expiry, facts, type Page } from '../../terminal/render.ts'
import { transferKeyInput } from './transfer-key-input.ts'

const tokenFacts = (token: TransferToken, page: Page): string =>
  facts(
    [
      ['id', token.id],
      ['license', token.licenseId],
      ['mode', token.mode],
      ['uses', `at most ${token.maxUses}`],
      ['pin', token.spki ?? (token.asksPin ? 'asked for' : 'none')],
      ['scope', token.scope === undefined ? undefined : JSON.stringify(token.scope)],
      ['expires', expiry(token.expiresAt, page)],
    ],
    page,
  )

/** Checks a key without asking anybody: how often it was used, only the plane knows. */
export const verifyKey: Handler<{ readonly keys: string }> = async (run) => {
  const keys = await keySet(run.io.cwd, run.options.keys)
  const verdict = readTransferKey(await transferKeyInput(run.io), { keys, now: run.clock.now() })
  if (verdict.ok) {
    run.print({ valid: true, ...verdict.token }, (page) => tokenFacts(verdict.token, page))
    return EXIT.done
  }
  run.print({ valid: false, reason: verdict.reason }, () => `the transfer key is ${verdict.reason}\n`)
  return EXIT.failed
}

async function keySet(cwd: string, file: string) {
  try {
    const { keys } = JSON.parse(await readFile(resolve(cwd, file), 'utf8')) as { keys: readonly unknown[] }
    return verificationKeys({ keys })
  } catch (cause) {
    throw new Problem(
      'invalid-input',
      { detail: `${file} is no key set: curl -o ${file} https://svc.example/.well-known/jwks.json gets it` },
      { cause },
    )
  }
}
