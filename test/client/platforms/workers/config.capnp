using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "old", worker = .old), (name = "new", worker = .new), (name = "internet", network = (allow = ["private", "local", "public"]))],
  sockets = [(name = "old", address = "127.0.0.1:0", http = (), service = "old"), (name = "new", address = "127.0.0.1:0", http = (), service = "new")],
);

const old :Workerd.Worker = (modules = .modules, compatibilityDate = "2023-01-01");
const new :Workerd.Worker = (modules = .modules, compatibilityDate = "2026-11-01");

const modules :List(Workerd.Worker.Module) = [
  (name = "worker.js", esModule = embed "worker.js"),
  (name = "tokenwire/client", esModule = embed "client.js"),
];
