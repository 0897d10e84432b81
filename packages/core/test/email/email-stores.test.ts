import {
  emailDomainsStoreContract,
  emailKeysStoreContract,
  emailMessagesStoreContract,
  emailSuppressionsStoreContract,
} from '@svc/testing/contracts'
import { onEveryStorage } from '../storage/backends.ts'

for (const contract of [
  emailDomainsStoreContract,
  emailKeysStoreContract,
  emailMessagesStoreContract,
  emailSuppressionsStoreContract,
])
  onEveryStorage(contract)
