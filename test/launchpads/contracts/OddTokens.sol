// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Tokens whose `name()` is as people have them.
contract WordName {
    bytes32 public constant name = "Maker";
}

contract PlainName {
    string public name;

    constructor(string memory name_) {
        name = name_;
    }
}

/// Returns as many bytes as it is asked for, from a name that says it is longer.
contract LongName {
    uint256 private immutable size;

    constructor(uint256 size_) {
        size = size_;
    }

    function name() external view returns (string memory) {
        uint256 length = size;
        assembly {
            mstore(0x80, 0x20)
            mstore(0xa0, length)
            return(0x80, add(0x40, length))
        }
    }
}

/// A name whose offset, or whose length, is out of what it returns.
contract BrokenName {
    uint256 private immutable offset;
    uint256 private immutable length;

    constructor(uint256 offset_, uint256 length_) {
        (offset, length) = (offset_, length_);
    }

    function name() external view returns (string memory) {
        (uint256 first, uint256 second) = (offset, length);
        assembly {
            mstore(0x80, first)
            mstore(0xa0, second)
            return(0x80, 0x40)
        }
    }
}

contract Reverting {
    error No(string reason);

    function name() external pure returns (string memory) {
        revert No("a name of its own");
    }
}

contract Endless {
    function name() external pure returns (string memory) {
        for (;;) {}
    }
}

/// Tries to write, which a call must not.
contract Counting {
    uint256 private calls;

    function name() external returns (string memory) {
        calls++;
        return "counted";
    }
}
