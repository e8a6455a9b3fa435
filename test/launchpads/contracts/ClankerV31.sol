// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20, INonfungiblePositionManager} from "./interfaces.sol";
import {ClankerToken} from "./clankerToken.sol";
import {ISwapRouter} from "./swapRouter.sol";

interface IPositions {
    function safeTransferFrom(address from, address to, uint256 tokenId) external;
}

interface IV3Factory {
    function createPool(address tokenA, address tokenB, uint24 fee) external returns (address);
}

interface IV3Pool {
    function initialize(uint160 sqrtPriceX96) external;
}

/// Emits what Clanker's v3.1 locker emits, in its order, and pays the shares that it pays. A fixture for tests only.
contract FakeLocker {
    struct Reward {
        uint256 share;
        address admin;
        address recipient;
        address token0;
        address token1;
    }

    INonfungiblePositionManager public immutable positionManager;
    address immutable team;
    mapping(uint256 => Reward) public rewards;

    event TokenRewardAdded(uint256 lpTokenId, uint256 creatorReward, address indexed creator, address indexed interfacer);
    event CreatorRewardRecipientUpdated(uint256 indexed lpTokenId, address indexed oldRecipient, address newRecipient);
    event ClaimedRewards(
        uint256 indexed lpTokenId,
        address indexed creatorRecipient,
        address indexed interfaceRecipient,
        address teamRecipient,
        address token0,
        address token1,
        uint256 creatorReward0,
        uint256 creatorReward1,
        uint256 interfaceReward0,
        uint256 interfaceReward1,
        uint256 teamReward0,
        uint256 teamReward1
    );

    constructor(INonfungiblePositionManager positions_, address team_) {
        positionManager = positions_;
        team = team_;
    }

    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC721Received.selector;
    }

    function add(uint256 id, Reward calldata reward) external {
        rewards[id] = reward;
        emit TokenRewardAdded(id, reward.share, reward.admin, team);
    }

    function updateCreatorRewardRecipient(uint256 id, address recipient) external {
        require(msg.sender == rewards[id].admin);
        emit CreatorRewardRecipientUpdated(id, rewards[id].recipient, recipient);
        rewards[id].recipient = recipient;
    }

    /// A fifth is the team's; with four fifths for the creator there is none for the interface.
    function collectRewards(uint256 id) external {
        Reward memory reward = rewards[id];
        (uint256 amount0, uint256 amount1) = positionManager.collect(
            INonfungiblePositionManager.CollectParams(id, address(this), type(uint128).max, type(uint128).max)
        );
        address creator = reward.recipient == address(0) ? team : reward.recipient;
        uint256[3] memory parts0 = _pay(IERC20(reward.token0), amount0, reward.share, creator);
        uint256[3] memory parts1 = _pay(IERC20(reward.token1), amount1, reward.share, creator);
        emit ClaimedRewards(
            id, creator, reward.admin, team, reward.token0, reward.token1,
            parts0[0], parts1[0], parts0[1], parts1[1], parts0[2], parts1[2]
        );
    }

    function _pay(IERC20 token, uint256 amount, uint256 share, address creator) private returns (uint256[3] memory parts) {
        parts[2] = (amount * 20) / 100;
        parts[0] = share == 80 ? amount - parts[2] : (amount * share) / 100;
        parts[1] = amount - parts[0] - parts[2];
        token.transfer(team, parts[2] + parts[1]);
        token.transfer(creator, parts[0]);
    }
}

/// Keeps a part of a token's supply, as Clanker's vault does. A fixture for tests only.
contract FakeVault {
    mapping(address token => address) admins;

    event AllocationCreated(address indexed token, address indexed admin, uint256 amount, uint256 endTime);

    function deposit(address token, uint256 amount, uint256 endTime, address admin) external {
        admins[token] = admin;
        IERC20(token).transferFrom(msg.sender, address(this), amount);
        emit AllocationCreated(token, admin, amount, endTime);
    }

    function withdraw(address token, uint256 amount, address to) external {
        require(msg.sender == admins[token]);
        IERC20(token).transfer(to, amount);
    }
}

/// Emits what Clanker's v3.1 factory emits, in its order, on the real Uniswap v3. A fixture for tests only.
contract FakeFactory {
    struct Launch {
        string name;
        string symbol;
        string metadata;
        bytes32 salt;
        address paired;
        int24 tick;
        uint160 sqrtPriceX96;
        uint256 share;
        address recipient;
        uint8 vaulted;
    }

    FakeVault public immutable vault = new FakeVault();
    IV3Factory immutable uniswap;
    INonfungiblePositionManager immutable positions;
    ISwapRouter immutable router;
    FakeLocker immutable locker;
    address immutable weth;

    event TokenCreated(
        address indexed tokenAddress,
        address indexed creatorAdmin,
        address indexed interfaceAdmin,
        address creatorRewardRecipient,
        address interfaceRewardRecipient,
        uint256 positionId,
        string name,
        string symbol,
        int24 startingTickIfToken0IsNewToken,
        string metadata,
        uint256 amountTokensBought,
        uint256 vaultDuration,
        uint8 vaultPercentage,
        address msgSender
    );

    constructor(address uniswap_, address positions_, address router_, address locker_, address weth_) {
        (uniswap, positions, router) = (IV3Factory(uniswap_), INonfungiblePositionManager(positions_), ISwapRouter(router_));
        (locker, weth) = (FakeLocker(locker_), weth_);
    }

    function deployToken(Launch calldata launch) external payable returns (address token, uint256 id) {
        ClankerToken made = new ClankerToken{salt: launch.salt}(launch.name, launch.symbol, address(this));
        made.describe(msg.sender, "", launch.metadata);
        token = address(made);
        uint256 supply = made.totalSupply();
        if (launch.vaulted > 0) {
            made.approve(address(vault), (supply * launch.vaulted) / 100);
            vault.deposit(token, (supply * launch.vaulted) / 100, block.timestamp + 31 days, msg.sender);
            supply -= (supply * launch.vaulted) / 100;
        }
        made.approve(address(positions), supply);
        bool first = token < launch.paired;
        IV3Pool(uniswap.createPool(token, launch.paired, 10_000)).initialize(launch.sqrtPriceX96);
        id = _mint(first ? token : launch.paired, first ? launch.paired : token, first, launch.tick, supply);
        IPositions(address(positions)).safeTransferFrom(address(this), address(locker), id);
        locker.add(
            id,
            FakeLocker.Reward(
                launch.share, msg.sender, launch.recipient, first ? token : launch.paired, first ? launch.paired : token
            )
        );
        uint256 bought;
        if (msg.value > 0) {
            bought = router.exactInputSingle{value: msg.value}(
                ISwapRouter.ExactInputSingleParams(weth, token, 10_000, msg.sender, block.timestamp, msg.value, 0, 0)
            );
        }
        emit TokenCreated(
            token, msg.sender, msg.sender, launch.recipient, msg.sender, id, launch.name, launch.symbol,
            launch.tick, launch.metadata, bought, launch.vaulted > 0 ? 31 days : 0, launch.vaulted, msg.sender
        );
    }

    function _mint(address token0, address token1, bool first, int24 tick, uint256 supply) private returns (uint256 id) {
        (id,,,) = positions.mint(
            INonfungiblePositionManager.MintParams(
                token0, token1, 10_000, first ? tick : -887_200, first ? int24(887_200) : -tick,
                first ? supply : 0, first ? 0 : supply, 0, 0, address(this), block.timestamp
            )
        );
    }
}
