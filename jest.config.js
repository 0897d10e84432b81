import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { restingSuites, SAMPLES } from './test/turns.js'

// One more than there are cores, as suites of processes and timers often wait, yet few enough that the
// suites' pools fit into one PostgreSQL of 200 connections.
const WORKERS_MAX = 8

// Suites of packed packages install them, which takes a minute: they run when they are named, in
// .ci/run and at night.
const runsPacked =
  process.env.SVC_TEST_PACKED === '1' || process.argv.some((argument) => argument.includes('test/packed'))

process.env.SVC_TEST_SAMPLE ??= String(Math.floor(Math.random() * SAMPLES))
const isNamed = process.argv.slice(2).some((argument) => !argument.startsWith('-'))
const { SVC_TEST_SUITES: kind, SVC_TEST_ALL: triesAll } = process.env
const resting = isNamed || triesAll === '1' ? [] : restingSuites(Number(process.env.SVC_TEST_SAMPLE))
const ring = JSON.parse(readFileSync(join(import.meta.dirname, 'test/ring.json'), 'utf8'))
const every = ['<rootDir>/{packages/*,bench,siege,chaos}/test/**/*.test.ts', '<rootDir>/test/**/*.test.ts']

export default {
  rootDir: import.meta.dirname,
  testMatch: kind === 'ring' ? ring.map((suite) => `<rootDir>/${suite}`) : every,
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^fast-check$': '<rootDir>/test/fast-check.js' },
  transform: { '\\.ts$': '<rootDir>/test/strip-types.js' },
  testEnvironmentOptions: { customExportConditions: ['svc-source', 'node', 'node-addons'] },
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(runsPacked ? [] : ['<rootDir>/test/packed/']),
    ...resting.map((suite) => `<rootDir>/${suite}\\.test\\.ts$`),
  ],
  modulePathIgnorePatterns: ['/dist/'],
  globalSetup: '<rootDir>/test/global-setup.js',
  globalTeardown: '<rootDir>/test/global-teardown.js',
  setupFilesAfterEnv: ['<rootDir>/test/setup.js'],
  testEnvironment: '<rootDir>/test/environment.js',
  reporters: ['default', '<rootDir>/test/reporter.js'],
  maxWorkers: Math.min(availableParallelism() + 1, WORKERS_MAX),
  // A worker starts afresh at this size: its garbage makes each collection longer.
  workerIdleMemoryLimit: '1GB',
  // Suites are transformed once, wherever a run keeps its temporary files.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // Busy machines are slow: speed is for the bench, and this limit for tests that hang.
  testTimeout: 60_000,
}
