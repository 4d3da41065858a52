-- == signs chosen by the source
DELIMITER //
CREATE PROCEDURE fill(IN amount INT)
--               ^ def fn sig="CREATE PROCEDURE fill(IN amount INT)" end=+4
BEGIN
  INSERT INTO `stock` (`id`) VALUES (amount);
--             ^ ref write owner=fill
  UPDATE totals SET n = n + 1;
--       ^ ref write owner=fill
END //
CREATE TRIGGER keep AFTER INSERT ON stock FOR EACH ROW BEGIN CALL fill(1); END //
--             ^ def fn
--                                  ^ ref type owner=keep
--                                                                ^ ref call owner=keep
DELIMITER ;

-- == quoted names and keys of a table
CREATE TABLE `stock` (
--            ^ def table sig="CREATE TABLE `stock`"
  `id` int(11) NOT NULL AUTO_INCREMENT COMMENT 'the id; really',
   -- <- def field scope=stock
  KEY `by_id` (`id`)
  -- <- none
) ENGINE=InnoDB;
