const { event, indexed, keccak256 } = require('@subsquid/evm-abi')
const { address, int24, int256, string, uint16, uint128, uint160, uint256 } = require('@subsquid/evm-codec')

const TYPES = new Map(Object.entries({ address, int24, int256, string, uint16, uint128, uint160, uint256 }))

/** An event by its declaration, `address indexed token, uint256 amount`. */
function declared(name, declaration) {
  const fields = declaration.split(', ').map(field => field.split(' '))
  const signature = `${name}(${fields.map(([type]) => type).join(',')})`
  const args = fields.map(words => [words.at(-1), words.length === 3 ? indexed(TYPES.get(words[0])) : TYPES.get(words[0])])
  return event(`0x${keccak256(signature).toString('hex')}`, signature, Object.fromEntries(args))
}

module.exports = {
  launched: declared(
    'TokenLaunched',
    'address indexed token, address indexed creator, address indexed curve, string name, string symbol, string metadataUri, uint256 totalSupply, uint256 virtualWei, uint256 virtualToken, uint256 targetWei, uint16 feeBps, uint16 creatorShareBps',
  ),
  graduated: declared(
    'Graduated',
    'address indexed token, address indexed pool, uint256 positionId, uint256 wethAmount, uint256 tokenAmount',
  ),
  bought: declared(
    'Bought',
    'address indexed buyer, address indexed recipient, uint256 paidWei, uint256 feeWei, uint256 tokenAmount, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken',
  ),
  sold: declared(
    'Sold',
    'address indexed seller, address indexed recipient, uint256 tokenAmount, uint256 receivedWei, uint256 feeWei, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken',
  ),
  transfer: declared('Transfer', 'address indexed from, address indexed to, uint256 value'),
  swap: declared(
    'Swap',
    'address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick',
  ),
}
