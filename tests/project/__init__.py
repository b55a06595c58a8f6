"""The project itself: package, documentation, deployment, web client."""
