import {
  emailDomainsStoreContract,
  emailKeysStoreContract,
  emailMessagesStoreContract,
  emailSuppressionsStoreContract,
} from '@svc/testing/contracts'
import { onEveryStorage } from '../storage/backends.ts'

onEveryStorage(emailDomainsStoreContract)
onEveryStorage(emailKeysStoreContract)
onEveryStorage(emailMessagesStoreContract)
onEveryStorage(emailSuppressionsStoreContract)
