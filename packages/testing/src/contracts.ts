/** Contract suites, for jest only: they import `@jest/globals`. */
export {}
