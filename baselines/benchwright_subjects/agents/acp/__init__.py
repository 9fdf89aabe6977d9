"""The client of agents that speak the Agent Client Protocol (https://agentclientprotocol.com), version 1."""
