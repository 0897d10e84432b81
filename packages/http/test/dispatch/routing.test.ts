import { describe, expect, it } from '@jest/globals'
import { PathTable, pathOf, resourcesOf } from '../../src/dispatch/routing.ts'
import { open } from '../../src/gates/open.ts'
import { json, type Method, route } from '../../src/index.ts'

const at = (path: string, method: Method = 'GET') =>
  route({ method, path, summary: '', gate: open, replies: {}, handle: () => json({}) })
const table = new PathTable(
  resourcesOf([at('/a'), at('/a', 'POST'), at('/a/{id}'), at('/a/{id}/x'), at('/a/fixed'), at('/a/fixed/x')]),
)
const found = (path: string) => {
  const match = table.find(path)
  return match && [match.resource.template, match.params]
}

describe('finding a resource', () => {
  it.each([
    ['/a', ['/a', {}]],
    ['/a/1', ['/a/{id}', { id: '1' }]],
    ['/a/1/x', ['/a/{id}/x', { id: '1' }]],
    ['/a/fixed', ['/a/fixed', {}]],
    ['/a/fixed/x', ['/a/fixed/x', {}]],
    ['/a/%C3%A4', ['/a/{id}', { id: 'ä' }]],
    ['/a/%', ['/a/{id}', { id: '%' }]],
    ['/a/%2F', ['/a/{id}', { id: '/' }]],
    ['/a/*', ['/a/{id}', { id: '*' }]],
    ['/a/__proto__', ['/a/{id}', { id: '__proto__' }]],
    ['/a/', undefined],
    ['/a//x', undefined],
    ['/a/1/', undefined],
    ['/a/1/y', undefined],
    ['/a/1/2/x', undefined],
    ['/', undefined],
    ['', undefined],
    ['a', undefined],
    ['*', undefined],
  ])('%s', (path, expected) => {
    expect(found(path)).toEqual(expected)
  })

  it('lists the methods of a resource, HEAD where GET is', () => {
    expect(table.find('/a')?.resource.allow).toBe('GET, HEAD, POST')
  })

  it('refuses two routes of one method and path, and parameters in other places', () => {
    expect(() => resourcesOf([at('/a'), at('/a')])).toThrow('GET /a is declared twice')
    expect(() => new PathTable(resourcesOf([at('/{a}/b/c')]))).toThrow('one parameter')
    expect(() => new PathTable(resourcesOf([at('/a/{b}/{c}')]))).toThrow('one parameter')
  })
})

describe('the path of a request target', () => {
  it.each([
    ['/a?b=/c', '/a'],
    ['http://host/a?b', '/a'],
    ['HTTPS://host:1/a', '/a'],
    ['http://host', '/'],
    ['http://host?x=1', '/'],
    ['//host/a', '//host/a'],
    ['*', '*'],
    ['ftp://host/a', 'ftp://host/a'],
    ['', ''],
  ])('%s is %s', (target, path) => {
    expect(pathOf(target)).toBe(path)
  })
})
