import { expect, test } from '@jest/globals'
import { readExposeOrder, readUnexposeOrder } from '../../../src/work/apps/exposure.ts'

const HASH = `$2a$14$${'a'.repeat(53)}`
const base = { app: 'shop', domain: 'shop.example.com', port: 80 }

test('A payload of the contract is an order for a public certificate', () => {
  expect(readExposeOrder(base)).toEqual({
    domain: 'shop.example.com',
    exposure: { app: 'shop', port: 80, tls: 'auto' },
    force: false,
  })
})

test('Every choice of a payload is kept, and what others added to it is not', () => {
  const choices = {
    tls: 'internal',
    process: 'site',
    paths: { '/api': 'api', '/api/v2': 'next' },
    redirect_to: 'www.example.com',
    hsts: true,
    allow: ['10.0.0.0/8', '::1'],
    basic_auth: { user: 'ann', hash: HASH },
  }
  const order = readExposeOrder({ ...base, ...choices, force: true, deployment_note: 'x' })
  expect(order).toEqual({
    domain: 'shop.example.com',
    exposure: { app: 'shop', port: 80, ...choices },
    force: true,
  })
})

test.each<[object, string]>([
  [{ domain: 'Shop.example.com' }, 'domain: expected'],
  [{ domain: 'shop' }, 'domain: expected'],
  [{ domain: '*.example.com' }, 'domain: expected'],
  [{ domain: '127.0.0.1' }, 'domain: expected'],
  [{ domain: '-a.example.com' }, 'domain: expected'],
  [{ domain: `${'a'.repeat(64)}.example.com` }, 'domain: expected'],
  [{ domain: `${'a.'.repeat(130)}com` }, 'domain: expected'],
  [{ domain: 'shop.example.com\n}' }, 'domain: expected'],
  [{ app: '../etc' }, 'app: expected'],
  [{ port: 0 }, 'port: expected'],
  [{ tls: 'own' }, 'tls: expected'],
  [{ process: '../web' }, 'process: expected'],
  [{ paths: {} }, 'paths: expected 1 to 20'],
  [{ paths: { '/': 'api' } }, 'paths'],
  [{ paths: { '/api/': 'api' } }, 'paths'],
  [{ paths: { '/a*': 'api' } }, 'paths'],
  [{ paths: { '/../x': 'api' } }, 'paths'],
  [{ paths: { '/a b': 'api' } }, 'paths'],
  [{ paths: { '/api': 'API' } }, 'paths'],
  [
    { paths: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`/p${n}`, 'api'])) },
    'paths: expected 1 to 20',
  ],
  [{ redirect_to: 'https://a.example.com' }, 'redirect_to: expected'],
  [{ hsts: 'yes' }, 'hsts: expected'],
  [{ hsts: true, tls: 'off' }, 'hsts: expected a domain with a certificate'],
  [{ max_body: 10 }, 'max_body: expected a size'],
  [{ max_body: '0M' }, 'max_body: expected a size'],
  [{ max_body: '1.5M' }, 'max_body: expected a size'],
  [{ max_body: '10M\n}' }, 'max_body: expected a size'],
  [{ max_body: '10M', redirect_to: 'www.example.com' }, 'max_body: expected without redirect_to'],
  [{ allow: ['10.0.0.0/8 }'] }, 'allow.0: expected'],
  [{ allow: Array.from({ length: 101 }, () => '::1') }, 'allow: expected'],
  [{ basic_auth: { user: 'a b', hash: HASH } }, 'basic_auth.user: expected'],
  [{ basic_auth: { user: 'ann', hash: 'plain' } }, 'basic_auth.hash: expected'],
  [{ basic_auth: { user: 'ann', hash: `${HASH}\n}` } }, 'basic_auth.hash: expected'],
])('The payload with %j is refused by its field', (fault, words) => {
  expect(() => readExposeOrder({ ...base, ...fault })).toThrow(
    expect.objectContaining({ data: expect.objectContaining({ details: [expect.stringContaining(words)] }) }),
  )
})

test('One path is refused with the words for several', () => {
  expect(() => readExposeOrder({ ...base, process: 'api', path: '/api' })).toThrow('path: write paths')
})

test('An order to take a domain away has an app and the domain', () => {
  expect(readUnexposeOrder({ app: 'shop', domain: 'shop.example.com', port: 1 })).toEqual({
    app: 'shop',
    domain: 'shop.example.com',
  })
  expect(() => readUnexposeOrder({ app: 'shop' })).toThrow()
})
