import { describe, expect, it } from 'vitest'
import { readDevSettings } from '#devchain/dev/settings.ts'

describe('readDevSettings', () => {
  it('has defaults for all settings', () => {
    expect(readDevSettings({}, '/here')).toEqual({
      seed: 1,
      blockTimeMs: 1_000,
      tradesPerBlock: 4,
      historyBlocks: 240,
      rpcPort: 0,
      dataDir: '/here/.data',
      ownDatabase: false,
      host: '127.0.0.1',
      port: 3_000,
      gateways: 0,
    })
  })

  it('reads variables, and takes blank ones for unset', () => {
    const told = {
      DEV_SEED: '77',
      DEV_BLOCK_TIME_MS: ' 250 ',
      DEV_TRADES_PER_BLOCK: '0',
      DEV_HISTORY_BLOCKS: '60',
      DEV_RPC_PORT: '8545',
      DATA_DIR: '/data',
      DATABASE_URL: 'postgres://there',
    }
    expect(readDevSettings(told, '/here')).toEqual({
      seed: 77,
      blockTimeMs: 250,
      tradesPerBlock: 0,
      historyBlocks: 60,
      rpcPort: 8545,
      dataDir: '/data',
      ownDatabase: true,
      host: '127.0.0.1',
      port: 3_000,
      gateways: 0,
    })
    const blank = { DEV_SEED: '', DEV_BLOCK_TIME_MS: ' ', DATABASE_URL: '' }
    expect(readDevSettings(blank, '/here')).toEqual(readDevSettings({}, '/here'))
  })

  it('reads how many gateways are to serve', () => {
    for (const args of [['--gateways', '2'], ['--gateways=2']]) expect(readDevSettings({}, '/here', args).gateways).toBe(2)
    for (const args of [['--gateways'], ['--gateways', '4'], ['--gateway', '2'], ['--gateways', '2', 'x']])
      expect(() => readDevSettings({}, '/here', args)).toThrow(
        `--gateways: expected --gateways and a whole number from 0 to 3, got ${args.join(' ')}`,
      )
  })

  // `npm run dev --gateways 2` passes on only the 2: "expected 0 to 3, got 2".
  it('says that npm has taken the option, however it was given', () => {
    for (const [args, taken] of [
      [['2'], 'true'],
      [[], '2'],
    ] as const) {
      const read = () => readDevSettings({ npm_config_gateways: taken }, '/here', args)
      expect(read).toThrow(/^npm has taken --gateways for an option of its own: .* npm run dev -- --gateways 2$/)
    }
    expect(readDevSettings({ npm_config_gateways: 'true' }, '/here', ['--gateways', '1']).gateways).toBe(1)
  })

  it('names every wrong variable and its allowed values in one message', () => {
    const wrong = { DEV_SEED: '-1', DEV_BLOCK_TIME_MS: '1s', DEV_TRADES_PER_BLOCK: '1e9', DEV_HISTORY_BLOCKS: '19', DEV_RPC_PORT: '70000' }
    expect(() => readDevSettings(wrong, '/here')).toThrow(
      [
        'The development chain cannot start.',
        '  DEV_SEED: expected a whole number from 0 to 9007199254740991, got "-1"',
        '  DEV_BLOCK_TIME_MS: expected a whole number from 50 to 600000, got "1s"',
        '  DEV_TRADES_PER_BLOCK: expected a whole number from 0 to 500, got "1e9"',
        '  DEV_HISTORY_BLOCKS: expected a whole number from 60 to 10000, got "19"',
        '  DEV_RPC_PORT: expected a whole number from 0 to 65535, got "70000"',
      ].join('\n'),
    )
  })
})
