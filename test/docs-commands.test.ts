import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import './support/standard-input.ts'
import { commandsOf, faultOf, type Offer } from './docs/named-commands.ts'
import { allPages, readPage, root } from './docs/page.ts'
import { commandsIn } from './docs/shell-words.ts'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
const offer: Offer = {
  scripts: Object.keys(scripts),
  binaries: readdirSync(join(root, 'node_modules/.bin')),
}

const faultsOf = (text: string): string[] =>
  commandsOf(readPage('page.md', text)).flatMap((named) => {
    const fault = faultOf(named, offer)
    return fault === undefined ? [] : [fault]
  })
const shell = (...lines: readonly string[]) => ['```sh', ...lines, '```'].join('\n')

describe('commands that the docs name', () => {
  test('exist: npm scripts, npx programs and svc with its flags', () => {
    const named = allPages().flatMap(commandsOf)
    expect(named.filter(({ words }) => words.includes('svc')).length).toBeGreaterThan(20)
    const faults = named.map((each) => `${each.at} ${each.words.join(' ')}: ${faultOf(each, offer) ?? ''}`)
    expect(faults.filter((line) => !line.endsWith(': '))).toEqual([])
  })

  test.each([
    ['npm run nothing', 'package.json has no script nothing'],
    ['npm publish', 'npm publish is not a command we use'],
    ['npx nothing', 'no installed package brings nothing'],
    ['svc nothing', 'svc has no command nothing'],
    ['svc jobs nothing', 'svc has no command jobs nothing'],
    ['npx svc jobs list --nothing', 'svc list has no flag --nothing'],
    ['npm run svc -- jobs show', 'svc show takes 1 arguments, not 0'],
    ['KEY=x svc jobs why job_1 job_2', 'svc why takes 1 arguments, not 2'],
    ['svc jobs enqueue prune', 'svc enqueue needs --license'],
    ['svc jobs list --state', '--state needs a value'],
    ['true && svc nothing | head', 'svc has no command nothing'],
  ])('%s is found to be wrong', (line, fault) => {
    expect(faultsOf(shell(line))).toEqual([fault])
  })

  test('what is right is left alone, and so is what is not ours', () => {
    const right = [
      'npm start',
      'npm test -- test/layers.test.ts',
      'npx svc fleet label web-1 "a b"',
      'ls -la',
    ]
    expect(faultsOf(shell(...right))).toEqual([])
    expect(faultsOf('Say `svc jobs`, `svc jobs why` or `svc agent …`.')).toEqual([])
    expect(faultsOf(['```console', '$ svc jobs list', 'svc nothing', '```'].join('\n'))).toEqual([])
    expect(faultsOf('Never `svc nothing`.')).toEqual(['svc has no command nothing'])
  })

  test('words are split as a shell splits them', () => {
    expect(commandsIn(`A=1 one 'two  2' "th\\"ree" \\\n  four > out # five\nsix; seven 2>&1`)).toEqual([
      ['one', 'two  2', 'th\\"ree', 'four'],
      ['six'],
      ['seven'],
    ])
  })
})
