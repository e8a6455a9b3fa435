// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LaunchToken} from "./LaunchToken.sol";

/// What the admin of Clanker's tokens may change, with their events. A fixture for tests only.
contract ClankerToken is LaunchToken {
    address public admin;
    string public imageUrl;
    string public metadata;

    event UpdateImage(string image);
    event UpdateMetadata(string metadata);
    event UpdateAdmin(address indexed oldAdmin, address indexed newAdmin);

    constructor(string memory name_, string memory symbol_, address holder) LaunchToken(name_, symbol_, holder) {}

    /// Called once, by the factory.
    function describe(address admin_, string calldata image_, string calldata metadata_) external {
        require(admin == address(0));
        (admin, imageUrl, metadata) = (admin_, image_, metadata_);
    }

    function updateImage(string calldata image_) external {
        require(msg.sender == admin);
        imageUrl = image_;
        emit UpdateImage(image_);
    }

    function updateMetadata(string calldata metadata_) external {
        require(msg.sender == admin);
        metadata = metadata_;
        emit UpdateMetadata(metadata_);
    }

    function updateAdmin(address admin_) external {
        require(msg.sender == admin);
        emit UpdateAdmin(admin, admin_);
        admin = admin_;
    }
}
