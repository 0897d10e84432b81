import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { dictionary } from '@zxcvbn-ts/language-common'
import { SERVICE_WORDS } from '../packages/core/src/platform/passwords/password-strength.ts'
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from '../packages/core/src/platform/passwords/passwords.ts'
import { root } from './docs/page.ts'

const page = readFileSync(join(root, 'docs/security.md'), 'utf8').replaceAll('\n', ' ')

test('The page about security names every word of the service that counts as nothing in a password', () => {
  const [, words = ''] = /The words of the service are (.+?)\. /.exec(page) ?? []
  expect(words.split(/, | and /)).toEqual(SERVICE_WORDS)
})

test('It says how long passwords are, and how many of a breach are refused', () => {
  const number = (value: number) => value.toLocaleString('en')
  const list = dictionary['passwords-common'] as readonly string[]
  const long = list.filter(({ length }) => length >= MIN_PASSWORD_CHARS)
  expect(page).toContain(`${MIN_PASSWORD_CHARS} to ${number(MAX_PASSWORD_CHARS)} characters`)
  expect(page).toContain(`${number(list.length)} passwords, ${long.length} of them`)
})
