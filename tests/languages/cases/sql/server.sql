-- == names in brackets
CREATE TABLE [dbo].[Orders] ([Id] INT IDENTITY(1,1) NOT NULL, [Note] NVARCHAR(MAX));
--                  ^ def table scope=dbo sig="CREATE TABLE [dbo].[Orders]"
--                            ^ def field scope="dbo.Orders"
--                                                             ^ def field scope="dbo.Orders"
GO

-- == procedures up to the end of the batch
-- Reads all orders.
CREATE OR ALTER PROCEDURE dbo.GetOrders @id INT AS
--                            ^ def fn scope=dbo sig="CREATE OR ALTER PROCEDURE dbo.GetOrders @id INT" doc="Reads all orders." end=+4
BEGIN
  SELECT * FROM dbo.Orders WHERE Id = @id;
--                  ^ ref type recv=dbo owner=GetOrders
  EXEC dbo.Log 1;
--         ^ ref call recv=dbo owner=GetOrders
END
GO
CREATE TABLE plain (id INT);
--           ^ def table
--                  ^ def field scope=plain
GO
