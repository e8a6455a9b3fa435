import { defineEntity } from '@mikro-orm/core'
import { address, numeric, oneOf, safeInteger } from './columns.ts'

/** What one address holds of one token. */
export const BalanceEntity = defineEntity({
  name: 'Balance',
  tableName: 'balance',
  properties: {
    token: address().primary(),
    holder: address().primary(),
    balance: numeric(),
    type: oneOf('type', ['wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract']),
    lastChangedBlock: safeInteger(),
  },
  indexes: [
    {
      name: 'balance_by_size',
      expression: 'create index balance_by_size on balance (token, (- balance), holder) where balance > 0',
    },
  ],
})
