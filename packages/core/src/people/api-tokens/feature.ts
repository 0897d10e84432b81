import { featureOf } from '../../platform/feature.ts'
import { apiTokenOperations } from './api-token-operations.ts'
import { ApiTokens } from './api-tokens.ts'

/** Tokens for programs that act for people. */
export const apiTokens = featureOf()({
  sql: () => import('./api-tokens-store-sql.ts'),
  services: (base): { apiTokens: ApiTokens } => ({ apiTokens: new ApiTokens(base) }),
  operations: apiTokenOperations,
  purge: ({ apiTokens }) => apiTokens.purge(),
})
