import { ask, type HandCase, type HandRequest, login, NO_JSON, TOO_LARGE, UNAUTHORIZED } from './case.ts'

const NOBODY = '"email":"nobody@svc.example","password":"x"'
const UNKNOWN = 'email=nobody%40svc.example&password=x'

const form = (body: string): HandRequest =>
  ask('POST', '/login', { 'Content-Type': 'application/x-www-form-urlencoded' }, body)
const typed = (type: string, body: string): HandRequest =>
  ask('POST', '/login', { 'Content-Type': type }, body)
const logout = (type: string, body: string): HandRequest =>
  ask('POST', '/logout', { 'Content-Type': type }, body)

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const brackets = (depth: number): string => `email${'[a]'.repeat(depth)}=x`

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Bodies to sign in or out, which anyone may send, as JSON and as a form. */
export const SIGN_IN: readonly HandCase[] = [
  ['33 lists to sign in', login(lists(33)), 400, NO_JSON],
  ['20,000 lists as an email', login(`{"email":${lists(20_000)},"password":"x"}`), 400, NO_JSON],
  ['10,000 objects to sign in', login(objects(10_000)), 400, NO_JSON],
  ['10,000 objects with a hostile name', login(`{"__proto__":${objects(10_000)},${NOBODY}}`), 400, NO_JSON],
  ['a prototype beside a sign-in is left out', login(`{"__proto__":{"a":1},${NOBODY}}`), 401, UNAUTHORIZED],
  ['fields within a prototype are none', login(`{"__proto__":{${NOBODY}}}`), 400, 'email: expected'],
  ['a sign-in without a type', ask('POST', '/login', {}, `{${NOBODY}}`), 401, UNAUTHORIZED],
  ['a form of a sign-in', form(UNKNOWN), 401, UNAUTHORIZED],
  [
    'a form in capitals',
    typed('APPLICATION/X-WWW-FORM-URLENCODED ; charset=UTF-8', UNKNOWN),
    401,
    UNAUTHORIZED,
  ],
  ['a form of 15,000 brackets', form(brackets(15_000)), 400, 'email: expected'],
  ['a form with a prototype and a whole sign-in', form(`__proto__[a]=1&${UNKNOWN}`), 401, UNAUTHORIZED],
  ['a form with a constructor', form(`constructor[prototype][a]=1&${UNKNOWN}`), 401, UNAUTHORIZED],
  ['a form whose email has a method', form('email[toString]=x&password=x'), 400, 'email: expected'],
  ['a form with two emails', form(`${UNKNOWN}&email=b`), 400, 'email: expected'],
  ['a form of 20,000 fields', form('a&'.repeat(20_000)), 400, ''],
  ['a form of broken escapes', form('email=%E0%A4%A&password=%'), 401, UNAUTHORIZED],
  ['a form of 65,537 bytes', form(`${UNKNOWN}&x=`.padEnd(65_537, 'x')), 413, TOO_LARGE],
  ['a form of JSON', form(`{${NOBODY}}`), 400, 'email: expected'],
  ['20,000 lists to sign out', logout(JSON_TYPE, lists(20_000)), 401, UNAUTHORIZED],
  ['10,000 objects to sign out', logout(JSON_TYPE, objects(10_000)), 401, UNAUTHORIZED],
  ['a form of 15,000 brackets to sign out', logout(FORM_TYPE, brackets(15_000)), 401, UNAUTHORIZED],
  ['a form of broken escapes to sign out', logout(FORM_TYPE, '%E0%A4%A'), 401, UNAUTHORIZED],
]
