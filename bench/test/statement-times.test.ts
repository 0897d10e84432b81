import { describe, expect, test } from '@jest/globals'
import { labelOf, timesBetween, timesOf } from '../src/measure/statement-times.ts'

describe('what a statement does', () => {
  test.each([
    ['select $1', 'select'],
    ['commit', 'commit'],
    ['select id from jobs where id = $1 for update skip locked', 'select from jobs'],
    ['insert into hosts as h (a) values ($1) on conflict (a) do update set a = $2', 'insert into hosts'],
    ['update "graphile"."jobs" set a = $1', 'update "graphile"."jobs"'],
    [
      'with j as (\n  select * from pgboss.job for no key update) delete from pgboss.job',
      'j: delete from pgboss.job',
    ],
    [
      'with r as (select * from unnest($1::text[])), s as (select 1 from jobs j) select * from s',
      'r: select from jobs',
    ],
    [
      'with r as (update jobs j set a = 1 returning 1) insert into log select * from r',
      'r: update jobs, insert into log',
    ],
  ])('%j: %s', (query, label) => expect(labelOf(query)).toBe(label))
})

test('the time of statements is summed by what they do, the most first, and told for an operation', () => {
  const before = timesOf([{ query: 'select a from jobs', micros: 10 }])
  const after = timesOf([
    { query: 'select a from jobs', micros: 30 },
    { query: 'select b from jobs', micros: 20 },
    { query: 'update jobs set a = 1', micros: 70 },
  ])
  expect(Object.entries(after)).toEqual([
    ['update jobs', 70],
    ['select from jobs', 50],
  ])
  expect(timesBetween(before, after, 10)).toEqual({ 'update jobs': 7, 'select from jobs': 4 })
  expect(timesBetween(after, after, 10)).toEqual({})
})
